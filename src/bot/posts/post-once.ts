// This folder posts messages exactly once, edits them, and sends files.

import { setTimeout as wait } from 'node:timers/promises'
import {
  type Attempt,
  attemptId,
  findOutcome,
  type LeasedWork,
  LeaseLost,
  type OutcomePending,
  retryUntilAvailable,
  type Step,
  type Steps,
  startSendDeadline,
} from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { classifyFailure, didNotHappen, type PostedMessage } from '@signalman/slack'
import type { MayPost } from './may-post.ts'
import type { Content, Destination, Poster } from './poster.ts'

/** A message to post once, or to look for, whatever it says. */
export interface UnwrittenMessage extends Destination {
  /** Where it is, if it was posted before. */
  readonly existing?: PostedMessage | undefined
  /** Identifies it among all messages of the work that sends it. */
  readonly key: string
  /** The version of the data that it shows. */
  readonly version: number
  /** Called after an edit. Absent for messages that are never edited, such as replies in a thread. */
  onEdited?: (() => Promise<unknown>) | undefined
  /** Stores that it was posted, and the version it shows: a message that was found may show an earlier one. */
  record(posted: PostedMessage, version: number): Promise<unknown>
}

/** What background work needs to post messages. */
export interface PostDeps {
  readonly poster: Poster
  readonly steps: Pick<Steps, 'list' | 'record' | 'remove' | 'hasLease'>
  /** Whether posting in the channel is still allowed: it may have become shared. */
  readonly mayPost: MayPost
  readonly log: Log
  readonly times?: Partial<PostTimes> | undefined
}

export type Lease = Pick<LeasedWork, 'work' | 'owner' | 'signal'>

/** With `posted`, the message was posted, and its ts is stored. `isFound`: an earlier attempt had posted it. */
type PostOnceOutcome = { readonly posted: PostedMessage; readonly isFound: boolean } | OutcomePending

export interface PostTimes {
  /**
   * A message that isn't in the channel this long after it was sent counts as not posted, because a call to Slack ends within 10 s.
   * If Slack accepts it after that, it is posted twice, because `chat.postMessage` has no documented idempotency key.
   */
  readonly assumeLostAfterMs: number
  /** How soon after its post ID was stored a post must be sent. By default, 4 s. */
  readonly sendWithinMs: number
}

const ASSUME_LOST_AFTER_MS = 15_000
/** If Slack hasn't answered for this long, post the message again: twice is better than never. */
export const GIVE_UP_AFTER_MS = 300_000
const SEARCH_RETRY = { minMs: 5000, maxMs: 60_000 }
const STORE_RETRY_MS = 3000

/**
 * Posts a message exactly once, as leased work. It's a step of the work, named by the message's key: it's recorded as begun, the message
 * is posted with the ID of the attempt, its ts is stored, and the step is removed. If the process died in between, or Slack's response was
 * lost, the step is still there. Then it looks for a message with that ID before it posts again. Throws Slack's refusal, and LeaseLost.
 */
export async function postOnce(
  deps: PostDeps,
  leased: Lease,
  message: UnwrittenMessage,
  content: Content,
): Promise<PostOnceOutcome> {
  const { poster, steps, times } = deps
  const found = await findEarlier(deps, leased, message, content.file?.id)
  if (!('notPosted' in found)) return found
  leased.signal.throwIfAborted()
  // Created before the attempt is recorded, because a later search counts from that time.
  const beforeRequest = createSendDeadlineCheck(leased, times?.sendWithinMs)
  const step = { workId: leased.work.id, name: message.key, body: message.version }
  const { notPosted: earlier } = found
  const attempt = await steps.record(
    leased.owner,
    earlier ? { ...step, line: earlier.line, attempt: earlier } : step,
  )
  if (!attempt) throw new LeaseLost()
  const options = { postId: attemptId(attempt), beforeRequest }
  const posted = await poster.post(message, content, options).catch(async (error: unknown) => {
    // Slack refused it or wasn't asked, so it wasn't posted.
    if (error instanceof LeaseLost || didNotHappen(error)) await steps.remove(attempt)
    throw error
  })
  await record(deps, message, attempt, { posted, version: message.version })
  return { posted, isFound: false }
}

/** Looks for a message that won't be posted again. If it wasn't posted, removes the step and returns undefined. */
export async function findPosted(
  deps: PostDeps,
  leased: Lease,
  message: UnwrittenMessage,
): Promise<PostOnceOutcome | undefined> {
  const found = await findEarlier(deps, leased, message)
  if (!('notPosted' in found)) return found
  if (found.notPosted) await deps.steps.remove(found.notPosted)
  return undefined
}

/** The keys of this work's messages that may have been posted. */
export const listPending = async (
  { steps }: { readonly steps: Pick<Steps, 'list'> },
  { work }: Pick<LeasedWork, 'work'>,
): Promise<string[]> => (await steps.list(work.id, { isNumbered: false })).map(({ name }) => name)

/**
 * Finds out whether an earlier attempt posted the message. If it didn't, or if nobody can find out, returns that attempt. Throws if the
 * thread is gone.
 */
async function findEarlier(
  deps: PostDeps,
  leased: Lease,
  message: UnwrittenMessage,
  fileId?: string,
): Promise<PostOnceOutcome | { notPosted: Step | undefined }> {
  const open = await deps.steps.list(leased.work.id, { isNumbered: false })
  const step = open.find(({ name }) => name === message.key)
  if (step?.state !== 'begun') return { notPosted: step }
  const searchAt = (ageMs: number) => search(deps, message, { step, ageMs, fileId })
  let found = await searchAt(step.begunMsAgo)
  // If the database's clock was set back, it doesn't tell how long ago that was.
  if (typeof found === 'object' && 'recheckMs' in found && step.readAt < step.begunAt) {
    await wait(findAssumeLostMs(deps), undefined, { signal: leased.signal })
    found = await searchAt(Number.POSITIVE_INFINITY)
  }
  if (typeof found === 'string') return { notPosted: step }
  if ('recheckMs' in found) return found
  // `postOnce` stored it, so the cast is safe.
  await record(deps, message, step, { posted: found.outcome, version: step.body as number })
  return { posted: found.outcome, isFound: true }
}

const findAssumeLostMs = ({ times }: PostDeps): number => times?.assumeLostAfterMs ?? ASSUME_LOST_AFTER_MS

const search = (
  deps: PostDeps,
  message: UnwrittenMessage,
  { step, ageMs, fileId }: { step: Step; ageMs: number; fileId: string | undefined },
) =>
  findOutcome<PostedMessage>({
    async lookUp() {
      const { begunAt, readAt } = step
      const since = new Date(readAt < begunAt ? readAt : begunAt)
      const sent = { postId: attemptId(step), fileId, since, until: new Date(begunAt) }
      const posted = await deps.poster.find(message, sent)
      return posted === undefined ? 'not-done' : { outcome: posted }
    },
    ageMs,
    maxInFlightMs: findAssumeLostMs(deps),
    retryAfter: (error) => retrySearchAfter(deps, message, error, ageMs),
  }).catch(async (error: unknown) => {
    await deps.steps.remove(step)
    throw error
  })

/** How long to wait after a failed search. Undefined to assume that the message wasn't posted, such as if the app may not search. */
function retrySearchAfter(
  { log }: PostDeps,
  { target: { workspaceId: workspace } }: UnwrittenMessage,
  error: unknown,
  ageMs: number,
): number | undefined {
  const failure = classifyFailure(error)
  if (failure.kind === 'message-gone') throw error
  const isTemporary = failure.kind === 'rate-limited' || failure.kind === 'temporary'
  if (!isTemporary || ageMs > GIVE_UP_AFTER_MS) {
    log.info(
      { workspace, err: error },
      "Couldn't find out whether a message was posted; assuming that it wasn't.",
    )
    return undefined
  }
  const delayByAgeMs = Math.min(SEARCH_RETRY.maxMs, Math.max(SEARCH_RETRY.minMs, Math.round(ageMs / 4)))
  const retryMs = failure.kind === 'temporary' ? delayByAgeMs : failure.retryMs
  return Math.min(retryMs, Math.max(1000, Math.ceil(GIVE_UP_AFTER_MS - ageMs)))
}

/** Stores that the message was posted, so that it is no longer looked for. */
async function record(
  { steps }: PostDeps,
  message: UnwrittenMessage,
  attempt: Attempt,
  { posted, version }: { posted: PostedMessage; version: number },
): Promise<void> {
  // Retried for a few seconds, because otherwise the message has to be looked for later, or is posted twice.
  await retryUntilAvailable(() => message.record(posted, version), {
    timeoutMs: STORE_RETRY_MS,
    isFinal: (error) => error instanceof LeaseLost,
  })
  await steps.remove(attempt)
}

/**
 * Returns a check to call directly before a request to Slack. It throws LeaseLost if it's too late to send it: meanwhile, another process
 * may have looked for the message and not found it.
 */
export function createSendDeadlineCheck(
  leased: Pick<LeasedWork, 'signal'>,
  sendWithinMs?: number,
): () => void {
  const canSend = startSendDeadline(leased, { sendWithinMs })
  return () => {
    if (!canSend()) throw new LeaseLost()
  }
}

/** Slack's response to a post was lost or inconclusive, so it may have been posted. */
export class PostOutcomeUnknown extends Error {
  override readonly name = 'PostOutcomeUnknown'
  constructor(cause: unknown) {
    super('Slack did not say whether the message was posted.', { cause })
  }
}
