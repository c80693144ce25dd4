import type { CheckNotes } from '../../bot/ports.ts'
import type { CommandContext, Requester } from '../../bot/routes/command-context.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import { createEndFilter } from './channel.ts'
import type { WatchStore } from './rows/watching.ts'
import { coversCheck, findLongestSilence, matchesWatch } from './rules/matching.ts'
import { listRunbooks } from './rules/runbook.ts'
import { isRunning, type Silence } from './rules/silence.ts'
import { withStateAt } from './rules/silence-windows.ts'
import { checkNotes } from './views/check-notes.ts'

const RECENT_OUTAGES = 5

/**
 * Loads what `/hc show` says about a watched check: how long it has been down, who is notified, and recent changes.
 */
export async function loadCheckNotes(
  watching: Pick<WatchStore, 'readCheckDetails'>,
  context: Requester & Pick<CommandContext, 'roles'>,
  check: CheckFacts,
): Promise<CheckNotes> {
  const { workspaceId, environment, channelId, now } = context
  const query = { workspaceId, environment, uuid: check.uuid, channelId, outageLimit: RECENT_OUTAGES }
  const { watches, silences, latest, unseen, observedSince } = await watching.readCheckDetails(query)
  const visibleWatches = watches.filter(({ filter }) => matchesWatch(filter, check))
  const channels = new Map(visibleWatches.map((watch) => [watch.channelId, watch]))
  return checkNotes({
    runbooks: listRunbooks([check], visibleWatches),
    check,
    channels: [...channels.values()],
    silences: [...findLongestMute(silences, check, now), ...findNextMaintenance(silences, check, now)],
    latest,
    observedSince: unseen ? undefined : observedSince,
    channelId,
    mayEnd: await createEndFilter(context),
  })
}

function findLongestMute(silences: readonly Silence[], check: CheckFacts, now: Date): Silence[] {
  const mute = findLongestSilence(
    silences.filter(({ kind }) => kind === 'mute'),
    check,
    now,
  )
  return mute ? [mute] : []
}

const findNextMaintenance = (silences: readonly Silence[], check: CheckFacts, now: Date): Silence[] =>
  silences
    .filter(({ kind, subject }) => kind === 'maintenance' && coversCheck(subject, check))
    .slice(0, 1)
    .map((window) => withStateAt(window, now))

type MaintenanceQuery = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** Returns a function that tells whether a health check is in maintenance now, in every channel or in the given one. */
export const createMaintenanceMatcher =
  ({ silences }: Pick<WatchStore, 'silences'>) =>
  async ({
    workspaceId,
    environment,
    channelId = '',
    now,
  }: MaintenanceQuery): Promise<(check: CheckFacts) => boolean> => {
    if (!(await silences.hasMaintenance(workspaceId))) return () => false
    const planned = await silences.list(workspaceId, { channelId, environment, kind: 'maintenance' })
    const running = planned.filter((silence) => isRunning(silence, now))
    return (check) => running.some(({ subject }) => coversCheck(subject, check))
  }
