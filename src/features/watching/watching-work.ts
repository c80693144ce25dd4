import { DONE, type WorkKind } from '@signalman/durable'
import { createShortCache } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { MayPost, Permission } from '../../bot/posts/may-post.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createTellWork, type TellDeps } from './delivery/tell-work.ts'
import { createPollWork, type PollDeps } from './polling/poll-work.ts'
import type { WatchStore } from './rows/watching.ts'
import { WATCH_WORK } from './rows/work.ts'
import { decidePermission } from './rules/channel-access.ts'

interface WatchingDeps
  extends Pick<DeliveryDeps, 'posting' | 'findAddress' | 'log'>,
    Pick<TellDeps, 'steps'>,
    Pick<PollDeps, 'getApi' | 'intervalMs' | 'wake'> {
  readonly watching: WatchStore
  readonly reachability: Reachability
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

const MAX_CHANNELS = 10_000

/**
 * Whether a watched channel may be posted in. What Slack said is kept while that is yes: as soon as it tells any process that the channel is
 * shared, or refuses a message there, the channel's row says so. A storm in many channels doesn't wait for the answers about each.
 */
export function createMayPostWatched({
  watching: { watches, channels },
  mayPost,
  now,
}: Pick<WatchingDeps, 'now'> & {
  mayPost: MayPost
  watching: { watches: Pick<WatchStore['watches'], 'list'>; channels: Pick<WatchStore['channels'], 'find'> }
}): MayPost {
  const answers = createShortCache<Permission>({
    ...{ freshMs: Number.POSITIVE_INFINITY, maxEntries: MAX_CHANNELS, now },
  })
  async function ask(workspace: Workspace, channelId: string): Promise<Permission> {
    const key = `${workspace.workspaceId} ${channelId}`
    const access = await channels.find(workspace.workspaceId, channelId)
    if (access.paused) answers.drop(key)
    if (decidePermission(access) !== 'yes') return 'shared-outside'
    const permission = await answers.get(key, () => mayPost(workspace, channelId))
    if (permission !== 'yes') answers.drop(key)
    return decidePermission(access, { permission })
  }
  return async (workspace, channelId, { isEdit } = { isEdit: false }) => {
    const permission = await ask(workspace, channelId)
    // Where nothing is watched anymore, an edit says nothing new to whoever has read the message.
    const isOver = permission === 'shared-outside' && isEdit
    return isOver && (await watches.list(workspace.workspaceId, { channelId })).length === 0
      ? 'yes'
      : permission
  }
}
