import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { formatDuration } from '@signalman/runtime'
import { formatDate, literal, type Message, message, mrkdwnSection } from '@signalman/slack'
import type { LostPosts } from '../../../bot/posts/lost-posts.ts'
import { retryLater } from '../../../bot/posts/may-post.ts'
import {
  findMessage,
  type MessageToPost,
  type PostDeps,
  postOrEdit,
} from '../../../bot/posts/post-or-edit.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import type { Responder } from '../rules/escalation-steps.ts'
import { getChannelId, getThreadTs } from '../rules/watch.ts'
import type { PendingCall } from './rows/calls.ts'

export interface CallDeps {
  readonly posting: PostDeps & { readonly lostPosts: Pick<LostPosts, 'findWithoutReposting'> }
  readonly watching: Pick<WatchStore, 'calls' | 'outbox'>
}

/** How long to wait for a deleted card to be posted again. */
const RETRY_MS = 2000

/** Pages people once in a card's thread. Checks right before posting that the page is still needed. */
export function createCallWork(deps: CallDeps): WorkKind {
  const { calls } = deps.watching
  return {
    kind: WATCH_WORK.call,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key: id = '' } = leased.work
      const call = await calls.find(workspaceId, id)
      if (!call) return DONE
      if (call.isObsolete) return dropCall(deps, leased, call)
      if (call.ts === undefined) return repeatAfter(RETRY_MS)
      return postCall(deps, leased, call, call.ts)
    },
  }
}

const toMessageToPost = (
  { watching: { calls } }: CallDeps,
  call: PendingCall,
): Omit<MessageToPost, 'content'> => ({
  key: `call ${call.id}`,
  target: {
    ...call,
    channelId: getChannelId(call.channelId),
    threadTs: getThreadTs(call.channelId) ?? call.ts,
  },
  version: 1,
  record: () => calls.markPosted(call.workspaceId, call.id),
})

/** Drops a call that is no longer needed, unless it was posted and only Slack's response was lost. */
async function dropCall(deps: CallDeps, leased: LeasedWork, call: PendingCall): Promise<WorkEnd> {
  const found =
    call.ts === undefined ? undefined : await findMessage(deps.posting, leased, toMessageToPost(deps, call))
  if (found?.kind === 'shown') return DONE
  if (found?.kind === 'pending') return found.end
  if (found?.kind === 'later' && found.reason !== 'uninstalled') return found.end
  await deps.watching.calls.drop(call.workspaceId, call.id)
  return DONE
}

async function postCall(deps: CallDeps, leased: LeasedWork, call: PendingCall, ts: string): Promise<WorkEnd> {
  const { posting, watching } = deps
  const { workspaceId, channelId, cardId } = call
  const outcome = await postOrEdit(posting, leased, {
    ...toMessageToPost(deps, { ...call, ts }),
    content: callView(call),
  })
  if (outcome.kind === 'shown') return DONE
  if (outcome.kind === 'pending' || (outcome.kind === 'later' && outcome.reason === 'rate-limited'))
    return outcome.end
  if (outcome.kind === 'gone') {
    // The card was deleted. Posts it again, so that the page can go in the new thread.
    await watching.outbox.redraw(workspaceId, [cardId])
    return retryLater(leased.work.attempts, RETRY_MS)
  }
  const logFields = { workspace: workspaceId, channel: channelId, card: cardId }
  posting.reportError(outcome.error, 'People couldn’t be paged about a card.', logFields)
  // Slack accepts nothing in the thread. Counts as posted, so that the next step isn't blocked.
  if (outcome.kind === 'rejected') {
    await watching.calls.markPosted(workspaceId, call.id)
    return DONE
  }
  return retryLater(leased.work.attempts, RETRY_MS)
}

const formatMention = ({ id, isGroup, name }: Responder): string => {
  if (id === undefined) return literal(name)
  return isGroup ? `<!subteam^${id}>` : `<@${id}>`
}

/** The page: mentions the people to notify, and says what is down. */
function callView({ environment, responders, waitedMs, outages, alsoPaged }: PendingCall): Message {
  const [first] = outages
  const badge = environmentSuffix(environment)
  const firstDownAt = outages
    .map(({ startedAt }) => startedAt)
    .reduce((earliest, startedAt) => (startedAt < earliest ? startedAt : earliest))
  const downText =
    first && outages.length === 1
      ? `${literal(checkName(first.check))}${badge} has been down`
      : `${pluralize(outages.length, 'health check')}${badge} are down, the first`
  const owners = (alsoPaged?.ownerIds ?? []).map((id) => `<@${id}>`)
  const mentions = [...responders.map(formatMention), ...owners].join(' ')
  const ownersText = alsoPaged
    ? ` This also pages ${owners.length === 1 ? 'the owner of the watch' : 'the owners of the watches'}, because Slack can’t notify anyone in this step: ${literal(alsoPaged.reasons.join(', '))}.`
    : ''
  const text = `${mentions} Nobody has been on it for ${formatDuration(waitedMs)}: ${downText} since ${formatDate(firstDownAt)}. Press *I’m on it* on the card to stop escalation.${ownersText}`
  return message(text, mrkdwnSection(text))
}
