import { DONE, type WorkKind } from '@signalman/durable'
import type { MayPost } from '../../bot/posts/may-post.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createTellWork, type TellDeps } from './delivery/tell-work.ts'
import { createPollWork, type PollDeps } from './polling/poll-work.ts'
import type { WatchStore } from './rows/watching.ts'
import { WATCH_WORK } from './rows/work.ts'

interface WatchingDeps
  extends Pick<DeliveryDeps, 'posting' | 'reachability' | 'log'>,
    Pick<TellDeps, 'steps'>,
    Pick<PollDeps, 'getApi' | 'intervalMs' | 'wake'> {
  readonly watching: WatchStore
}

/** The background work of watching. It is retried without limit, because nothing would schedule it again after the last attempt. */
export function createWatchingWork(deps: WatchingDeps): WorkKind[] {
  const { watching, reachability, steps, wake, log } = deps
  /** A channel that other organizations read gets nothing until an admin agrees. */
  const mayPost: MayPost = async (workspace, channelId) => {
    const own = await watching.watches.list(workspace.workspaceId, { channelId })
    if (own.some(({ paused }) => paused?.reason === 'shared-outside')) return 'shared'
    const permission = await deps.posting.mayPost(workspace, channelId)
    return permission === 'shared' && own.some(({ agreedOutsideAt }) => agreedOutsideAt) ? 'yes' : permission
  }
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
    createDeliveryWork({ watching, posting, reachability, log }),
    createTellWork({ watching, posting, steps }),
    updateWork,
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}
