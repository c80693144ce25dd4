import { isDirect } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CheckFacts, Outage } from '../../domain/outages/outage.ts'
import { isInForce, type MaintenanceWindow, shownAt } from './maintenance/rules.ts'
import type { WatchStore } from './rows/watching.ts'
import { runbooksFor } from './rules/runbook.ts'
import { isMutedBy, matchesWatch, muteOf } from './rules/subjects.ts'
import { type Mute, type Watch, whose } from './rules/watch.ts'
import { type CheckNotes, checkNotes } from './views/check-notes.ts'

const LATEST = 5

type WatchingChannel = Pick<Watch, 'channelId' | 'paused'>

/** What watching knows of one check. */
export interface WatchedCheck {
  check: CheckFacts
  /** Channels that are told of it, and why one of them cannot be told now. */
  channels: readonly WatchingChannel[]
  /** Whether it is muted in the channel where it is asked. */
  mute: Mute | undefined
  /** What is planned or under way for it, as far as this channel is concerned: the next. */
  maintenance: MaintenanceWindow | undefined
  runbooks: readonly string[]
  /** Its last outages, newest first. */
  latest: readonly Outage[]
  /** The channel where it is asked; a button there can watch the check. */
  channelId: string | undefined
}

/** What watching adds to `/hc show`: since when it is down, who is told, what changed last. What is `shared` says nothing that one person alone is told. */
export async function aboutCheck(
  watching: Pick<WatchStore, 'aboutCheck'>,
  { workspaceId, environment, channelId, userId, now }: CommandContext,
  check: CheckFacts,
  { isShared = false } = {},
): Promise<CheckNotes> {
  const asked = { workspaceId, environment, uuid: check.uuid, channelId, latest: LATEST }
  const { watches, mutes, latest, planned } = await watching.aboutCheck(asked)
  const telling = tellingOf(watches, check, isShared ? undefined : userId)
  const channels = new Map(telling.map((watch) => [watch.channelId, watch]))
  return checkNotes({
    runbooks: runbooksFor([check], telling),
    check,
    channels: [...channels.values()],
    mute: muteOf(mutes, check, now),
    latest,
    maintenance: planned.map((window) => shownAt(window, now)).find(({ about }) => isMutedBy(about, check)),
    channelId,
  })
}

/** The watches that tell of a check, and of which this person may know; undefined: everyone in a channel. */
export const tellingOf = (
  watches: readonly Watch[],
  check: CheckFacts,
  userId: string | undefined,
): Watch[] =>
  watches
    .filter((watch) => !isDirect(watch.channelId) || whose(watch) === userId)
    .filter(({ filter }) => matchesWatch(filter, check))

type AskedIn = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** Which checks are in maintenance now, in every channel or in the one where it is asked. */
export const maintainedBy =
  ({ maintenance }: Pick<WatchStore, 'maintenance'>) =>
  async ({
    workspaceId,
    environment,
    channelId = '',
    now,
  }: AskedIn): Promise<(check: CheckFacts) => boolean> => {
    if (!(await maintenance.isAny(workspaceId))) return () => false
    const planned = await maintenance.list(workspaceId, { channelId })
    const running = planned.filter((one) => one.environment === environment && isInForce(one, now))
    return (check) => running.some(({ about }) => isMutedBy(about, check))
  }
