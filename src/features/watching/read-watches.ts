import { setTimeout as sleep } from 'node:timers/promises'
import type { NotificationPlace, Reachability } from '../../bot/access/reachable.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { readNames, withNames } from './find-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import type { Responder, Watch } from './rules/watch.ts'
import type { WatchListing } from './views/watches.ts'

/** How many people and groups are looked up, and for how long, because a person is waiting. */
const MAX_LOOKED_UP = 20
const LOOK_UP_TIMEOUT_MS = 1500

export async function readWatches(
  {
    watching: { watches, channels, silences, history },
    reachability,
  }: {
    watching: Pick<WatchStore, 'watches' | 'channels' | 'silences' | 'history'>
    reachability: Pick<Reachability, 'lookUp'>
  },
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now' | 'api' | 'environment'>,
  channelId?: string,
): Promise<WatchListing> {
  const { workspaceId, now } = context
  const found = await watches.list(workspaceId, channelId === undefined ? {} : { channelId })
  const environments = [...new Set(found.map(({ environment }) => environment))]
  // Checks of the other environment keep the names that are stored: a request asks its own one only.
  const { names, gone } = await readNames(
    context,
    found.filter(({ environment }) => environment === context.environment),
  )
  const unseen = await Promise.all(
    environments.map(async (environment) => {
      const since = await history.findUnseen({ workspaceId, environment })
      return since ? [{ ...since, environment }] : []
    }),
  )
  return {
    stale: await findStale(reachability, { workspaceId, channelId }, found),
    watches: withNames(found, { names }),
    gone,
    findChannel: await channels.findAll(workspaceId),
    silences: await silences.list(workspaceId, now, { channelId }),
    unseen: unseen.flat(),
    now,
  }
}

/**
 * The people and groups of watches that Slack can't notify, with the reason, by ID: whoever is paged, in the channel; whoever owns a watch,
 * at all. Only what Slack says in time.
 */
async function findStale(
  { lookUp }: Pick<Reachability, 'lookUp'>,
  place: NotificationPlace,
  watches: readonly Watch[],
): Promise<WatchListing['stale']> {
  const paged = watches.flatMap(({ page = [] }) => page.flatMap(({ responders }) => responders))
  const owners = watches.map(({ ownerId: id }) => ({ id, name: id }))
  const find = async (where: NotificationPlace, all: readonly Responder[]) => {
    const unique = [...new Map(all.map((one) => [one.id, one])).values()].slice(0, MAX_LOOKED_UP)
    const found = lookUp(where, unique).then(({ not }) => not)
    const not = await Promise.race([found, sleep(LOOK_UP_TIMEOUT_MS, [], { ref: false })])
    return new Map(not.map(({ one: { id = '' }, reason }) => [id, reason]))
  }
  const [responders, people] = await Promise.all([
    find(place, paged),
    find({ workspaceId: place.workspaceId }, owners),
  ])
  return { responders, owners: people }
}
