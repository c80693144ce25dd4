import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { PollStatus } from '../../domain/watching/outage.ts'
import type { Digest, Mute, Watch } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'
import { isInForce } from './mute-checks.ts'

/** Watches, mutes and digests, and whether the service can be seen at all. */
export interface WatchesShown {
  watches: readonly Watch[]
  mutes: readonly Mute[]
  digests: readonly Digest[]
  /** The polling of each watched environment. */
  polling: readonly { environment: Environment; status: PollStatus }[]
}

/** The watches of one channel, or of the whole workspace. */
export async function readWatches(
  { watches, mutes, digests, history }: WatchStore,
  { workspaceId, now }: Pick<CommandContext, 'workspaceId' | 'now'>,
  channelId?: string,
): Promise<WatchesShown> {
  const where = channelId === undefined ? {} : { channelId }
  const [found, muted, summed, ...polls] = await Promise.all([
    watches.list(workspaceId, where),
    mutes.list(workspaceId, where),
    digests.list(workspaceId, where),
    ...ENVIRONMENTS.map(async (environment) => ({
      environment,
      status: await history.polling(workspaceId, environment),
    })),
  ])
  return {
    watches: found,
    mutes: muted.filter((mute) => isInForce(mute, now)),
    digests: summed,
    polling: polls.flatMap(({ environment, status }) =>
      status && found.some((watch) => watch.environment === environment) ? [{ environment, status }] : [],
    ),
  }
}

const ENVIRONMENTS = ['production', 'ote'] as const
