import type { CommandContext } from '../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { createEndFilter, createVisibilityFilter, isPublicOrOwn } from './channel.ts'
import type { WatchStore } from './rows/watching.ts'
import { withStateAt } from './rules/silence-windows.ts'
import { type OwnedRecord } from './rules/watch.ts'
import type { WatchListing } from './rules/watch-listing.ts'

/**
 * Reads the watches, and silences that this person may see, in a channel or in the whole workspace. Of other people's
 * direct messages, admins see only how many watches there are.
 */
export async function readWatches(
  { watches, silences, history }: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now'>,
  channelId?: string,
): Promise<WatchListing> {
  const { workspaceId, userId, now } = context
  const canSee = await createVisibilityFilter(context)
  const where = channelId === undefined ? {} : { channelId }
  const [allWatches, allSilences, ...polls] = await Promise.all([
    watches.list(workspaceId, where),
    silences.list(workspaceId, where),
    ...ENVIRONMENTS.map(async (environment) => ({
      environment,
      status: await history.findPollStatus(workspaceId, environment),
    })),
  ])
  const isShown = (owned: OwnedRecord): boolean => isPublicOrOwn(owned, userId)
  const others = Map.groupBy(
    allWatches.filter((watch) => canSee(watch) && !isShown(watch)),
    ({ ownerId }) => ownerId,
  )
  return {
    watches: allWatches.filter(isShown),
    silences: allSilences.filter(isShown).map((silence) => withStateAt(silence, now)),
    mayEnd: await createEndFilter(context),
    privateWatches: [...others].map(([ownerId, watches]) => ({ ownerId, count: watches.length })),
    polling: polls.flatMap(({ environment, status }) =>
      status && allWatches.some((watch) => watch.environment === environment)
        ? [{ environment, status }]
        : [],
    ),
  }
}
