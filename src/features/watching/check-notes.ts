import { isDirect } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import type { WatchStore } from './rows/watching.ts'
import { runbooksFor } from './rules/runbook.ts'
import { isRunning, type Silence } from './rules/silence.ts'
import { withStateAt } from './rules/silence-windows.ts'
import { coversCheck, findLongestSilence, matchesWatch } from './rules/subjects.ts'
import { getOwner, type Watch } from './rules/watch.ts'
import { type CheckNotes, checkNotes } from './views/check-notes.ts'

const LATEST = 5

/**
 * What watching adds to `/hc show`: how long it has been down, who is notified, and recent changes. If `isShared`, leaves
 * out personal watches.
 */
export async function aboutCheck(
  watching: Pick<WatchStore, 'aboutCheck'>,
  { workspaceId, environment, channelId, userId, now }: CommandContext,
  check: CheckFacts,
  { isShared = false } = {},
): Promise<CheckNotes> {
  const asked = { workspaceId, environment, uuid: check.uuid, channelId, latest: LATEST }
  const { watches, silences, latest } = await watching.aboutCheck(asked)
  const telling = watchesCovering(watches, check, isShared ? undefined : userId)
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
  const mute = findLongestSilence(
    silences.filter(({ kind }) => kind === 'mute'),
    check,
    now,
  )
  return mute ? [mute] : []
}

const nextMaintenance = (silences: readonly Silence[], check: CheckFacts, now: Date): Silence[] =>
  silences
    .filter(({ kind, about }) => kind === 'maintenance' && coversCheck(about, check))
    .slice(0, 1)
    .map((window) => withStateAt(window, now))

/** The watches that cover a check and that this person may see. Without a user: those that everyone in a channel may see. */
export const watchesCovering = (
  watches: readonly Watch[],
  check: CheckFacts,
  userId: string | undefined,
): Watch[] =>
  watches
    .filter((watch) => !isDirect(watch.channelId) || getOwner(watch) === userId)
    .filter(({ filter }) => matchesWatch(filter, check))

type MaintenanceQuery = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** Tests whether a check is in maintenance now, in every channel or in the given one. */
export const createMaintenanceCheck =
  ({ silences }: Pick<WatchStore, 'silences'>) =>
  async ({
    workspaceId,
    environment,
    channelId = '',
    now,
  }: MaintenanceQuery): Promise<(check: CheckFacts) => boolean> => {
    if (!(await silences.hasMaintenance(workspaceId))) return () => false
    const planned = await silences.list(workspaceId, { channelId, environment, kind: 'maintenance' })
    const running = planned.filter((one) => isRunning(one, now))
    return (check) => running.some(({ about }) => coversCheck(about, check))
  }
