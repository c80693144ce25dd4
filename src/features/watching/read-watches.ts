import type { CommandContext } from '../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { createEndFilter } from './channel.ts'
import type { WatchStore } from './rows/watching.ts'
import { withStateAt } from './rules/silence-windows.ts'
import type { WatchListing } from './rules/watch-listing.ts'

/** Reads the watches and silences of a channel, or of the whole workspace. */
export async function readWatches(
  { watches, silences, history }: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now'>,
  channelId?: string,
): Promise<WatchListing> {
  const { workspaceId, now } = context
  const where = channelId === undefined ? {} : { channelId }
  const [allWatches, allSilences, ...polls] = await Promise.all([
    watches.list(workspaceId, where),
    silences.list(workspaceId, where),
    ...ENVIRONMENTS.map(async (environment) => ({
      environment,
      status: await history.findPollStatus(workspaceId, environment),
    })),
  ])
  return {
    watches: allWatches,
    silences: allSilences.map((silence) => withStateAt(silence, now)),
    mayEnd: await createEndFilter(context),
    polling: polls.flatMap(({ environment, status }) =>
      status && allWatches.some((watch) => watch.environment === environment)
        ? [{ environment, status }]
        : [],
    ),
  }
}
