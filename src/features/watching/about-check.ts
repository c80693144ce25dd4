import { isDirect } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import { isInForce, shownAt } from './maintenance/rules.ts'
import type { WatchStore } from './rows/watching.ts'
import { runbooksFor } from './rules/runbook.ts'
import { isMutedBy, matchesWatch, muteOf } from './rules/subjects.ts'
import { type Watch, whose } from './rules/watch.ts'
import { type CheckNotes, checkNotes } from './views/check-notes.ts'

const LATEST = 5

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
