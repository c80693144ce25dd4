import { DONE, type WorkKind } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { type ChannelReader, createChannelReader, type SlackClients } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import { type MayPost, toPermission } from '../../bot/posts/may-post.ts'
import type { PostPermission } from '../../bot/routes/command-context.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createTellWork, type TellDeps } from './delivery/tell-work.ts'
import { createPollWork, type PollDeps } from './polling/poll-work.ts'
import type { WatchStore } from './rows/watching.ts'
import { WATCH_WORK } from './rows/work.ts'
import { decidePermission } from './rules/channel-access.ts'

interface WatchingDeps
  extends Pick<DeliveryDeps, 'posting' | 'findAddress' | 'log'>,
    Pick<TellDeps, 'steps'>,
    Pick<PollDeps, 'getApi' | 'checkPerson' | 'intervalMs' | 'wake'> {
  readonly watching: WatchStore
  readonly reachability: Reachability
  readonly clients: Pick<SlackClients, 'forWorkspace'>
  readonly now: () => Date
}

/** The background work of watching. It is retried without limit, because nothing would schedule it again after the last attempt. */
export function createWatchingWork(deps: WatchingDeps): WorkKind[] {
  const { watching, reachability, findAddress, steps, clients, wake, log, now } = deps
  const reader = createChannelReader({ clients, freshMs: FRESH_MS, now })
  const mayPost = createMayPostWatched({ watching, mayPost: deps.posting.mayPost, reader, now })
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
    createDeliveryWork({ watching, posting, reachability, findAddress, log, now }),
    createTellWork({ watching, posting, steps }),
    updateWork,
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** How long what Slack said about a channel counts: a storm in many channels is over by then. Its event about one may be lost. */
const FRESH_MS = 2 * MINUTE_MS

/**
 * Whether a watched channel may be posted in. What Slack said is kept for a while, but as soon as it tells any process that the channel is
 * shared, the channel's row says so. A channel that watches nothing has no row, so Slack is asked each time.
 */
export function createMayPostWatched({
  watching: { watches, channels },
  mayPost,
  reader,
  now,
}: Pick<WatchingDeps, 'now'> & {
  readonly mayPost: MayPost
  readonly reader: ChannelReader
  readonly watching: {
    readonly watches: Pick<WatchStore['watches'], 'list'>
    readonly channels: Pick<WatchStore['channels'], 'find' | 'pause' | 'endAgreement'>
  }
}): MayPost {
  return async (workspace, channelId) => {
    const { workspaceId } = workspace
    const decide = async (asked: Promise<PostPermission>): Promise<PostPermission> => {
      const permission = await asked
      // Read after Slack's answer: the channel may have become shared meanwhile.
      const access = await channels.find(workspaceId, channelId)
      // What Slack said is newer than the agreement.
      const isOver = permission === 'yes' && Number(access.agreedOutsideAt) < now().getTime() - FRESH_MS
      if (isOver) await channels.endAgreement(workspaceId, channelId, access)
      return decidePermission(access, { permission })
    }
    const isWatched = (await watches.list(workspaceId, { channelId })).length > 0
    const kept = isWatched && (await decide(toPermission(reader.read({ workspace, channelId }))))
    if (kept === 'yes') return kept
    // No refusal is kept: another process may have ended the agreement since, because nobody else reads the channel anymore.
    reader.forget({ workspace, channelId })
    const decided = await decide(mayPost(workspace, channelId))
    if (decided === 'shared-outside') await channels.pause(workspaceId, channelId, decided, { now: now() })
    return decided
  }
}
