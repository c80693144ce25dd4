import { DONE, type WorkKind } from '@signalman/durable'
import { createShortCache } from '@signalman/runtime'
import type { MayPost, Permission } from '../../bot/posts/may-post.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createTellWork, type TellDeps } from './delivery/tell-work.ts'
import { createPollWork, type PollDeps } from './polling/poll-work.ts'
import type { WatchStore } from './rows/watching.ts'
import { WATCH_WORK } from './rows/work.ts'

interface WatchingDeps
  extends Pick<DeliveryDeps, 'posting' | 'reachability' | 'findAddress' | 'log'>,
    Pick<TellDeps, 'steps'>,
    Pick<PollDeps, 'getApi' | 'intervalMs' | 'wake'> {
  readonly watching: WatchStore
  readonly now: () => Date
}

/** The background work of watching. It is retried without limit, because nothing would schedule it again after the last attempt. */
export function createWatchingWork(deps: WatchingDeps): WorkKind[] {
  const { watching, reachability, findAddress, steps, wake, log, now } = deps
  const mayPost = createMayPostWatched({ watching, mayPost: deps.posting.mayPost, now })
  const posting = { ...deps.posting, reachability, mayPost }
  const updateWork: WorkKind = {
    kind: WATCH_WORK.update,
    lane: 'send',
    async run({ work: { workspaceId, key = '' } }) {
      await watching.update(workspaceId, key)
      wake()
      return DONE
    },
  }
  return [
    createPollWork(deps),
    createDeliveryWork({ watching, posting, reachability, findAddress, log }),
    createTellWork({ watching, posting, steps }),
    updateWork,
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Slack answers about 50 such questions a minute, and a storm sends messages in many channels. */
const ASK_AGAIN_MS = 30_000
const MAX_CHANNELS = 10_000

/**
 * A channel that other organizations read gets nothing until an admin agrees. Only a yes of Slack is remembered, because as soon as it says
 * to any process that the channel is shared, its watches are paused.
 */
export function createMayPostWatched({
  watching,
  mayPost,
  now,
}: Pick<WatchingDeps, 'now'> & {
  mayPost: MayPost
  watching: { watches: Pick<WatchStore['watches'], 'list'> }
}): MayPost {
  const permissions = createShortCache<Permission>({ freshMs: ASK_AGAIN_MS, maxEntries: MAX_CHANNELS, now })
  return async (workspace, channelId) => {
    const own = await watching.watches.list(workspace.workspaceId, { channelId })
    if (own.some(({ paused }) => paused?.reason === 'shared-outside')) return 'shared'
    const key = `${workspace.workspaceId} ${channelId}`
    const permission = await permissions.get(key, () => mayPost(workspace, channelId))
    if (permission !== 'yes') permissions.drop(key)
    return permission === 'shared' && own.some(({ agreedOutsideAt }) => agreedOutsideAt) ? 'yes' : permission
  }
}
