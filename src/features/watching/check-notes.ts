import type { CheckNotes, WatchedChecks, WatchScope } from '../../bot/ports.ts'
import type { Requester } from '../../bot/routes/command-context.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import { watchMatcher } from './rules/matching.ts'
import { listRunbooks } from './rules/runbook.ts'
import { inForce } from './rules/silence.ts'
import { checkNotes } from './views/check-notes.ts'
import { formatSilences } from './views/silences.ts'
import { listChannels } from './views/words.ts'

/** Loads what `/hc show` says about a watched check: how long it has been down, and who is notified. */
export async function loadCheckNotes(
  { watches, silences, history, onIt }: Pick<WatchStore, 'watches' | 'silences' | 'history' | 'onIt'>,
  { workspaceId, environment, channelId, now }: Requester,
  check: HealthCheck,
): Promise<CheckNotes> {
  const scope = { workspaceId, environment }
  const all = { from: new Date(0), to: now }
  const matching = (await watches.list(workspaceId, { environment })).filter(({ filter }) =>
    watchMatcher(filter)(check),
  )
  const silenced = await silences.list(workspaceId, now, { channelId: channelId ?? '', environment })
  const [incident] = await history.listIncidents({ ...scope, uuid: check.uuid }, all, 1)
  // Whoever is on it stays so for ten minutes after it's up, but its card doesn't say that somebody is on what is up.
  const open = check.status === 'HEALTHY' || incident?.closedAt ? undefined : incident
  return checkNotes({
    check,
    watches: matching,
    silences: inForce(silenced, channelId ?? '', now).flatMap(({ silence, covers }) =>
      covers(check) ? [silence] : [],
    ),
    runbooks: listRunbooks([check], matching),
    incident,
    open,
    card:
      open?.isDown && !open.onIt && channelId
        ? await onIt.findCard(workspaceId, channelId, open.id)
        : undefined,
    isSeen: (await history.findPoll(scope)) !== undefined && !(await history.findUnseen(scope)),
    channelId,
    now,
  })
}

/** What becomes of watches when a check is renamed, or put back after it was deleted: for others than watching. */
export const createChangePort = ({
  watches,
  follow,
}: Pick<WatchStore, 'watches' | 'follow'>): Pick<WatchedChecks, 'describeRename' | 'follow'> => ({
  follow,
  async describeRename({ workspaceId, environment }, check, oldName) {
    const all = await watches.list(workspaceId, { environment })
    const listWatching = (name: string): string[] =>
      all.flatMap(({ filter, channelId }) => (watchMatcher(filter)({ ...check, name }) ? [channelId] : []))
    const lost = new Set(listWatching(oldName)).difference(new Set(listWatching(check.name)))
    return lost.size === 0
      ? undefined
      : ['Its new name isn’t watched in ', ...listChannels([...lost]), ', where the old one was.']
  },
})

/** What is silenced now, in every channel or in the given one: for others than watching. */
export const createSilencePort = ({
  silences,
}: Pick<WatchStore, 'silences'>): Pick<WatchedChecks, 'inMaintenance' | 'listSilenced'> => {
  const listRunning = async ({ workspaceId, environment, channelId = '', now }: WatchScope) =>
    inForce(await silences.list(workspaceId, now, { channelId, environment }), channelId, now)
  return {
    async inMaintenance(scope) {
      const maintenance = (await listRunning(scope)).filter(({ silence }) => silence.isMaintenance)
      return (check) => maintenance.some(({ covers }) => covers(check))
    },
    async listSilenced(scope) {
      const running = await listRunning(scope)
      return formatSilences(
        running.map(({ silence }) => silence),
        scope.now,
      )
    },
  }
}
