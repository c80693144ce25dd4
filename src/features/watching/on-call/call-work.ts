import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { formatDuration, MINUTE_MS } from '@signalman/runtime'
import { formatDate, literal, type Message, message, mrkdwnSection } from '@signalman/slack'
import type { Reachability } from '../../../bot/access/reachable.ts'
import type { LostPosts } from '../../../bot/posts/lost-posts.ts'
import { retryLater } from '../../../bot/posts/may-post.ts'
import {
  findMessage,
  type PostDeps,
  postOrEdit,
  type UnwrittenMessage,
} from '../../../bot/posts/post-or-edit.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { findPageTargets, type PageTarget } from '../reachable.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import type { Responder } from '../rules/escalation-steps.ts'
import { getChannelId, getThreadTs } from '../rules/watch.ts'
import type { PendingCall } from './rows/calls.ts'

export interface CallDeps {
  readonly reachability: Pick<Reachability, 'explainPerson' | 'explainGroup' | 'findAdmin'>
  readonly posting: PostDeps & { readonly lostPosts: Pick<LostPosts, 'findWithoutReposting'> }
  readonly watching: Pick<WatchStore, 'calls' | 'outbox'>
}

/** How long to wait for a deleted card to be posted again. */
const RETRY_MS = 2000
/** How long to wait before looking again for somebody to page. */
const NOBODY_RETRY_MS = MINUTE_MS

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

const toMessageToPost = ({ watching: { calls } }: CallDeps, call: PendingCall): UnwrittenMessage => ({
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
  const { posting, watching, reachability } = deps
  const { workspaceId, channelId, cardId, responders } = call
  const targets = await findStepTargets(reachability, call)
  if (targets.length === 0) return repeatAfter(NOBODY_RETRY_MS)
  const admin = targets.find(({ kind }) => kind === 'admin')
  const outcome = await postOrEdit(posting, leased, {
    ...toMessageToPost(deps, { ...call, ts }),
    ...(admin && 'userId' in admin && { to: admin.userId }),
    content: callView(call, targets, responders),
    ownWords: refusedCallView(call, targets, responders),
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

/**
 * Finds whom to page for a step: everyone in it who can be notified. If that is nobody, an owner of the watch, or else an admin.
 * Empty if nobody can be notified.
 */
async function findStepTargets(
  reachability: CallDeps['reachability'],
  call: PendingCall,
): Promise<(PageTarget & { responder: Responder })[]> {
  const targets: (PageTarget & { responder: Responder })[] = []
  for (const responder of call.responders) {
    const [target] = await findPageTargets(reachability, [call], responder)
    if (target) targets.push({ ...target, responder })
  }
  for (const kind of ['responder', 'owner', 'admin'] as const) {
    const found = targets.filter((target) => target.kind === kind)
    if (found.length > 0) return found
  }
  return []
}

const formatMention = ({ id, isGroup, name }: Responder): string => {
  if (id === undefined) return literal(name)
  return isGroup ? `<!subteam^${id}>` : `<@${id}>`
}

const listMentions = (
  targets: readonly (PageTarget & { responder: Responder })[],
  responders: readonly Responder[],
): readonly string[] => {
  const substitutes = targets.flatMap((target) => (target.kind === 'responder' ? [] : [target.userId]))
  return substitutes.length > 0
    ? [...new Set(substitutes)].map((userId) => `<@${userId}>`)
    : responders.map(formatMention)
}

/** The page in Signalman's own words, for when Slack refuses it. */
function refusedCallView(
  { outages, environment }: PendingCall,
  targets: readonly (PageTarget & { responder: Responder })[],
  responders: readonly Responder[],
): Message {
  const downText = `${pluralize(outages.length, 'health check')}${environmentSuffix(environment)} ${outages.length === 1 ? 'is' : 'are'} down`
  const text = `${listMentions(targets, responders).join(' ')} Nobody is on it: ${downText}. Slack refused the details. To see them, use ${cmd('/hc')}.`
  return message(text, mrkdwnSection(text))
}

/** The page: mentions the people to notify, and says what is down. */
function callView(
  { environment, waitedMs, outages }: PendingCall,
  targets: readonly (PageTarget & { responder: Responder })[],
  responders: readonly Responder[],
): Message {
  const [first] = outages
  const badge = environmentSuffix(environment)
  const firstDownAt = outages
    .map(({ startedAt }) => startedAt)
    .reduce((earliest, startedAt) => (startedAt < earliest ? startedAt : earliest))
  const downText =
    first && outages.length === 1
      ? `${literal(checkName(first.check))}${badge} has been down`
      : `${pluralize(outages.length, 'health check')}${badge} are down, the first`
  const substitutes = targets.flatMap((target) => (target.kind === 'responder' ? [] : [target]))
  const mentions = listMentions(targets, responders)
  const reasons = substitutes.map(
    ({ responder, reason }) => `${literal(responder.name)}, ${responder.isGroup ? 'which' : 'who'} ${reason}`,
  )
  const substituteText =
    reasons.length > 0
      ? ` Slack can’t notify ${reasons.join(', or ')}, so this pages ${substitutes[0]?.kind === 'owner' ? 'the owner of the watch' : 'an admin'}.`
      : ''
  const text = `${mentions.join(' ')} Nobody has been on it for ${formatDuration(waitedMs)}: ${downText} since ${formatDate(firstDownAt)}. Press *I’m on it* on the card to stop escalation.${substituteText}`
  return message(text, mrkdwnSection(text))
}
