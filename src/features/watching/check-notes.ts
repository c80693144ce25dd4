import { yieldWhenDue } from '@signalman/runtime'
import { clip, commandButton, oneLine } from '@signalman/slack'
import type { CheckNotes, WatchedChecks, WatchScope } from '../../bot/ports.ts'
import type { Requester } from '../../bot/routes/command-context.ts'
import { formatList } from '../../domain/wording.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { findChannel } from './channel.ts'
import { type CardDeps, findCard, findTake } from './find-card.ts'
import type { WatchStore } from './rows/watching.ts'
import { prepareWatch, watchMatcher } from './rules/matching.ts'
import { listRunbooks } from './rules/runbook.ts'
import { inForce } from './rules/silence.ts'
import { checkNotes } from './views/check-notes.ts'
import { formatSilences } from './views/silences.ts'
import { listChannels } from './views/words.ts'

/** Loads what `/hc show` says about a watched check: how long it has been down, and who is notified. */
export async function loadCheckNotes(
  deps: CardDeps & { readonly watching: Pick<WatchStore, 'watches' | 'silences' | 'history'> },
  requester: Requester,
  check: HealthCheck,
): Promise<CheckNotes> {
  const { watches, silences, history } = deps.watching
  const { workspaceId, environment, channelId, userId, now } = requester
  const here = findChannel(requester)
  const scope = { workspaceId, environment }
  const all = { from: new Date(0), to: now }
  const matching = (await watches.list(workspaceId, { environment })).filter(({ filter }) =>
    watchMatcher(filter)(check),
  )
  const silenced = await silences.list(workspaceId, now, { channelId: channelId ?? '', environment })
  const [incident] = await history.listIncidents({ ...scope, uuid: check.uuid }, all, 1)
  // Whoever is on it stays so for ten minutes after it's up, but its card doesn't say that somebody is on what is up.
  const open = check.status === 'HEALTHY' || incident?.closedAt ? undefined : incident
  const card = open?.isDown ? await findCard(deps, requester, open) : undefined
  return checkNotes({
    check,
    watches: matching,
    silences: inForce(silenced, channelId ?? '', now).flatMap(({ silence, covers }) =>
      covers(check) ? [silence] : [],
    ),
    runbooks: listRunbooks([check], matching),
    incident,
    open,
    // Where nothing is posted, any channel's will do.
    card: here === undefined || card?.channelId === here ? card : undefined,
    seenSince: (await history.findUnseen(scope)) ? undefined : (await history.findPoll(scope))?.seenSince,
    channelId: here,
    userId,
    now,
  })
}

const MAX_NAMED = 5

/** What watches are about, and what becomes of them when checks are renamed or put back: for others than watching. */
export const createChangePort = ({
  watches,
  follow,
}: Pick<WatchStore, 'watches' | 'follow'>): Pick<
  WatchedChecks,
  'describeRenames' | 'follow' | 'isUnwatched'
> => ({
  follow,
  async isUnwatched({ workspaceId, environment }) {
    const matchers = (await watches.list(workspaceId, { environment })).map(({ filter }) =>
      watchMatcher(filter),
    )
    return (check) => !matchers.some((matches) => matches(check))
  },
  async describeRenames({ workspaceId, environment }, renames) {
    if (renames.length === 0) return undefined
    const all = (await watches.list(workspaceId, { environment })).map(prepareWatch)
    const lost = new Set<string>()
    const names: string[] = []
    for (const { check, oldName } of renames) {
      await yieldWhenDue()
      const listWatching = (name: string): string[] =>
        all.flatMap(({ watch, matches }) => (matches({ ...check, name }) ? [watch.channelId] : []))
      const left = new Set(listWatching(oldName)).difference(new Set(listWatching(check.name)))
      if (left.size > 0) names.push(check.name)
      for (const channelId of left) lost.add(channelId)
    }
    const channels = listChannels([...lost])
    if (names.length === 0) return undefined
    return renames.length === 1
      ? ['Its new name isn’t watched in ', channels, ', where the old one was.']
      : [
          'New names that aren’t watched in ',
          channels,
          `, where the old ones were: ${formatList(names, MAX_NAMED, (name) => clip(oneLine(name), 60))}.`,
        ]
  },
})

/** How to take what is down: for others than watching. In a channel, only what it lists; in App Home and DMs, everything. */
export const createTakePort = ({
  onIt,
}: Pick<WatchStore, 'onIt'>): Pick<WatchedChecks, 'listTakeButtons'> => ({
  async listTakeButtons({ channelId, ...scope }, uuids) {
    const take = await findTake(onIt, { ...scope, channelId: findChannel({ channelId }) }, uuids)
    return take ? [commandButton(take.label, take.line, { style: 'primary' })] : []
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
