import type { CommandContext } from '../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { mayKnow } from './channel.ts'
import { shownAt } from './maintenance/rules.ts'
import { isInForce } from './mute-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import type { WatchesShown } from './rules/watches-shown.ts'

/** The watches of one channel, or of the whole workspace, as far as the person may know of them. */
export async function readWatches(
  { watches, mutes, digests, maintenance, history }: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now'>,
  channelId?: string,
): Promise<WatchesShown> {
  const { workspaceId, now } = context
  const mayKnowOf = await mayKnow(context)
  const where = channelId === undefined ? {} : { channelId }
  const [found, muted, summed, planned, ...polls] = await Promise.all([
    watches.list(workspaceId, where),
    mutes.list(workspaceId, where),
    digests.list(workspaceId, where),
    maintenance.list(workspaceId, where),
    ...ENVIRONMENTS.map(async (environment) => ({
      environment,
      status: await history.polling(workspaceId, environment),
    })),
  ])
  return {
    watches: found.filter(mayKnowOf),
    mutes: muted.filter((mute) => isInForce(mute, now) && mayKnowOf(mute)),
    digests: summed.filter(mayKnowOf),
    maintenance: planned.map((window) => shownAt(window, now)),
    polling: polls.flatMap(({ environment, status }) =>
      status && found.some((watch) => watch.environment === environment) ? [{ environment, status }] : [],
    ),
  }
}
