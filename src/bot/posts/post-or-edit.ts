import { LeaseLost, type OutcomePending, repeatAfter, type WorkEnd } from '@signalman/durable'
import { classifyFailure, type Message, type PostedMessage } from '@signalman/slack'
import type { Obstacle } from '../routes/command-context.ts'
import { isAboutReaders, REINSTALL_CHECK_MS, retryLater } from './may-post.ts'
import {
  createSendDeadlineCheck,
  findPosted,
  type Lease,
  type PostDeps,
  postOnce,
  type UnwrittenMessage,
} from './post-once.ts'

/** A message to post once, or to edit if it was posted before. */
export interface MessageToPost extends UnwrittenMessage {
  readonly content: Message
  /** What an edit says instead if others read the channel by now: it only takes away from what they have read. */
  readonly forOthers?: Message | undefined
}

/** The outcome of posting or editing a message. */
export type MessageOutcome =
  | { readonly kind: 'shown'; readonly posted: PostedMessage }
  /** It isn't known yet whether it was posted. */
  | { readonly kind: 'pending'; readonly recheckMs: number; readonly end: WorkEnd }
  /** Slack may accept it later. */
  | {
      readonly kind: 'later'
      readonly reason: 'rate-limited' | 'temporary' | 'uninstalled'
      readonly end: WorkEnd
      readonly error: unknown
    }
  /** The message, or the first message of its thread, is gone. */
  | { readonly kind: 'gone'; readonly error: unknown }
  /** Slack doesn't accept even its text, or accepts nothing in this thread anymore. */
  | { readonly kind: 'rejected'; readonly reason: 'bad-message' | 'thread-closed'; readonly error: unknown }
  /** Posting isn't allowed there. There is no error if Slack wasn't even asked. */
  | { readonly kind: 'closed'; readonly reason: Obstacle; readonly error?: unknown }

/** Posts a message once, or edits it if it was posted before. Throws only LeaseLost. */
export async function postOrEdit(
  deps: PostDeps,
  leased: Lease,
  message: MessageToPost,
): Promise<MessageOutcome> {
  const { to, target, existing } = message
  const { channelId } = existing ?? target
  try {
    leased.signal.throwIfAborted()
    const isEdit = existing !== undefined
    const permission = to === undefined ? await deps.mayPost(target, channelId) : 'yes'
    // Its own messages may be edited where nothing new can be posted.
    if (permission === 'yes' || (isEdit && !isAboutReaders(permission)))
      return await (existing ? edit(deps, leased, message, existing) : post(deps, leased, message))
    if (existing && message.forOthers)
      return await edit(deps, leased, { ...message, content: message.forOthers }, existing)
    await throwIfLeaseLost(deps, leased)
    return { kind: 'closed', reason: permission }
  } catch (error) {
    return toMessageOutcome(leased, error)
  }
}

async function post(deps: PostDeps, leased: Lease, message: MessageToPost): Promise<MessageOutcome> {
  const outcome = await writeContent(deps, message, (content) => postOnce(deps, leased, message, content))
  if ('recheckMs' in outcome) return toPending(outcome)
  // The existing message was sent by a process that died, or its response was lost, so it may be outdated.
  if (outcome.isFound && message.onEdited) return edit(deps, leased, message, outcome.posted)
  return { kind: 'shown', posted: outcome.posted }
}

/** Looks for a message whose response was lost; undefined if it wasn't posted. Throws only LeaseLost. */
export async function findMessage(
  deps: PostDeps,
  leased: Lease,
  message: UnwrittenMessage,
): Promise<MessageOutcome | undefined> {
  try {
    await throwIfLeaseLost(deps, leased)
    const outcome = await findPosted(deps, leased, message)
    if (outcome && 'recheckMs' in outcome) return toPending(outcome)
    return outcome && { kind: 'shown', posted: outcome.posted }
  } catch (error) {
    return toMessageOutcome(leased, error)
  }
}

const toPending = ({ recheckMs, mayStillArrive }: OutcomePending): MessageOutcome => ({
  kind: 'pending',
  recheckMs,
  end: { state: 'waiting', dueInMs: recheckMs, isSuccess: mayStillArrive },
})

/** Turns an error of Slack into an outcome. */
function toMessageOutcome({ work }: Lease, error: unknown): MessageOutcome {
  if (error instanceof LeaseLost) throw error
  const failure = classifyFailure(error)
  switch (failure.kind) {
    case 'rate-limited':
      return { kind: 'later', reason: failure.kind, end: repeatAfter(failure.retryMs), error }
    case 'uninstalled':
      return { kind: 'later', reason: failure.kind, end: repeatAfter(REINSTALL_CHECK_MS), error }
    case 'temporary':
      return { kind: 'later', reason: failure.kind, end: retryLater(work.attempts), error }
    case 'message-gone':
      return { kind: 'gone', error }
    case 'bad-message':
    case 'thread-closed':
      return { kind: 'rejected', reason: failure.kind, error }
    case 'channel-unavailable':
      return { kind: 'closed', reason: failure.reason, error }
  }
}

/** Asks the database, because a suspended process may not have noticed that it lost the lease. */
async function throwIfLeaseLost({ steps }: PostDeps, { signal, work, owner }: Lease): Promise<void> {
  signal.throwIfAborted()
  if (!(await steps.hasLease(work.id, owner))) throw new LeaseLost()
}

async function edit(
  deps: PostDeps,
  leased: Lease,
  message: MessageToPost,
  existing: PostedMessage,
): Promise<MessageOutcome> {
  const target = { ...message.target, channelId: existing.channelId }
  await writeContent(deps, message, async (content) => {
    // A suspended process would overwrite a newer state with an older one.
    const beforeRequest = createSendDeadlineCheck(leased)
    await throwIfLeaseLost(deps, leased)
    await deps.poster.edit(target, existing.ts, content, { beforeRequest })
  })
  await message.onEdited?.()
  return { kind: 'shown', posted: existing }
}

/** Sends a message. If Slack refuses its content, only its text, because a channel may refuse the blocks of any message. */
async function writeContent<T>(
  { log }: PostDeps,
  { content, target: { workspaceId: workspace } }: Pick<MessageToPost, 'content' | 'target'>,
  write: (content: Message) => Promise<T>,
): Promise<T> {
  try {
    return await write(content)
  } catch (error) {
    if (classifyFailure(error).kind !== 'bad-message' || content.blocks.length === 0) throw error
    log.warn({ workspace, err: error }, 'Slack refused the content of a message. Sending only its text.')
    return write({ ...content, blocks: [] })
  }
}
