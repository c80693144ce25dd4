import { isDirect } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import type { WatchStore } from './rows/watching.ts'
import { runbooksFor } from './rules/runbook.ts'
import { isUnderWay, type Silence } from './rules/silence.ts'
import { shownAt } from './rules/silence-windows.ts'
import { isAbout, matchesWatch, silenceOf } from './rules/subjects.ts'
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
  const { watches, silences, latest } = await watching.aboutCheck(asked)
  const telling = tellingOf(watches, check, isShared ? undefined : userId)
  const channels = new Map(telling.map((watch) => [watch.channelId, watch]))
  return checkNotes({
    runbooks: runbooksFor([check], telling),
    check,
    channels: [...channels.values()],
    silences: [...longestMute(silences, check, now), ...nextMaintenance(silences, check, now)],
    latest,
    channelId,
  })
}

function longestMute(silences: readonly Silence[], check: CheckFacts, now: Date): Silence[] {
  const mute = silenceOf(
    silences.filter(({ kind }) => kind === 'mute'),
    check,
    now,
  )
  return mute ? [mute] : []
}

const nextMaintenance = (silences: readonly Silence[], check: CheckFacts, now: Date): Silence[] =>
  silences
    .filter(({ kind, about }) => kind === 'maintenance' && isAbout(about, check))
    .slice(0, 1)
    .map((window) => shownAt(window, now))

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
  ({ silences }: Pick<WatchStore, 'silences'>) =>
  async ({
    workspaceId,
    environment,
    channelId = '',
    now,
  }: AskedIn): Promise<(check: CheckFacts) => boolean> => {
    if (!(await silences.hasMaintenance(workspaceId))) return () => false
    const planned = await silences.list(workspaceId, { channelId, environment, kind: 'maintenance' })
    const running = planned.filter((one) => isUnderWay(one, now))
    return (check) => running.some(({ about }) => isAbout(about, check))
  }
