// This folder posts messages exactly once, edits them, and sends files.

import {
  findOutcome,
  type LeasedWork,
  LeaseLost,
  type OutcomePending,
  type PostAttempts,
  retryUntilAvailable,
  startSendDeadline,
} from '@signalman/durable'
import { type Log, lruOptions } from '@signalman/runtime'
import { classifyFailure, didNotHappen, mayHaveHappened, type PostedMessage } from '@signalman/slack'
import { LRUCache } from 'lru-cache'

/** A message that may have been posted although its response was lost. */
export interface PostToFind {
  workspaceId: string
  /** Identifies it among all messages of the workspace. */
  key: string
  /** Looks for the message by its post ID. */
  find(search: PostSearch): Promise<PostedMessage | undefined>
  /** Stores its channel and ts, and the version it shows: a message that was found may show an earlier one. */
  record(posted: PostedMessage, version: number): Promise<unknown>
}

/** A message that must be posted exactly once, even if the process dies or Slack's response is lost. */
export interface OnePost extends PostToFind {
  /** The version of the data that it shows. */
  version: number
  /** Posts the message with these `PostOptions`. */
  send(options: { postId: string; beforeRequest: () => void }): Promise<PostedMessage>
}

/** How to find a post with an unknown outcome: it was sent between these times. */
export interface PostSearch {
  readonly postId: string
  readonly since: Date
  readonly until: Date
}

/** With `posted`, the message was posted, and its ts is stored. `isFound`: an earlier attempt had posted it. */
export type PostOnceOutcome = { readonly posted: PostedMessage; readonly isFound: boolean } | OutcomePending

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
const GIVE_UP_AFTER_MS = 300_000
const SEARCH_RETRY = { minMs: 5000, maxMs: 60_000 }
const STORE_RETRY_MS = 3000

export type Posts = ReturnType<typeof createPosts>

/**
 * Posts messages exactly once: stores an attempt, posts the message with the attempt's post ID, stores the ts, and deletes the
 * attempt. If the process died in between, or Slack's response was lost, the attempt is still there. Then it looks for a message
 * with that post ID before it posts again.
 */
export function createPosts(deps: {
  attempts: PostAttempts
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, log, times = {} } = deps
  const measureAge = createAgeMeter()

  /** Posts a message once, as leased work. Throws Slack's refusal, and LeaseLost. */
  async function postOnce(
    leased: Pick<LeasedWork, 'work' | 'owner' | 'signal'>,
    post: OnePost,
  ): Promise<PostOnceOutcome> {
    const earlier = await findEarlier(post)
    if (!('searchedPostId' in earlier)) return earlier
    leased.signal.throwIfAborted()
    // Created before the post ID is stored, because a later search counts from that time.
    const beforeRequest = createSendDeadlineCheck(leased, times.sendWithinMs)
    const postId = await attempts.begin(
      { ...post, ...earlier },
      { workId: leased.work.id, owner: leased.owner },
    )
    if (postId === undefined) throw new LeaseLost()
    let posted: PostedMessage
    try {
      posted = await post.send({ postId, beforeRequest })
    } catch (error) {
      // Slack refused it or wasn't asked, so it wasn't posted.
      if (error instanceof LeaseLost || didNotHappen(error)) await attempts.finish(post, postId)
      throw error
    }
    await record(post, { postId, version: post.version, posted })
    return { posted, isFound: false }
  }

  /**
   * Finds out whether an earlier attempt posted the message. If it didn't, returns the post ID that was searched for. Throws if the
   * thread is gone.
   */
  async function findEarlier(
    post: PostToFind,
  ): Promise<PostOnceOutcome | { searchedPostId: string | undefined }> {
    const attempt = await attempts.find(post)
    if (!attempt) return { searchedPostId: undefined }
    const { postId, version, attemptedAt, now } = attempt
    // The clock may have been set back since.
    const since = now < attemptedAt ? now : attemptedAt
    const ageMs = measureAge(attempt)
    const found = await findOutcome<PostedMessage>({
      async lookUp() {
        const posted = await post.find({ postId, since, until: attemptedAt })
        return posted === undefined ? 'not-done' : { outcome: posted }
      },
      ageMs,
      maxInFlightMs: times.assumeLostAfterMs ?? ASSUME_LOST_AFTER_MS,
      retryAfter: (error) => retrySearchAfter(error, ageMs, post.workspaceId),
    }).catch(async (error: unknown) => {
      await attempts.finish(post, postId)
      throw error
    })
    if (typeof found === 'string') return { searchedPostId: postId }
    if ('recheckMs' in found) return found
    await record(post, { postId, version, posted: found.outcome })
    return { posted: found.outcome, isFound: true }
  }

  /** How long to wait after a failed search. Undefined to assume that the message wasn't posted, such as if the app may not search. */
  function retrySearchAfter(error: unknown, ageMs: number, workspace: string): number | undefined {
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
    post: Pick<PostToFind, 'workspaceId' | 'key' | 'record'>,
    { postId, version, posted }: { postId: string; version: number; posted: PostedMessage },
  ): Promise<void> {
    // Retried for a few seconds, because otherwise the message has to be looked for later, or is posted twice.
    await retryUntilAvailable(() => post.record(posted, version), {
      timeoutMs: STORE_RETRY_MS,
      isFinal: (error) => error instanceof LeaseLost,
    })
    await attempts.finish(post, postId)
  }

  return {
    postOnce,
    /** Looks for a message that won't be posted again. If it wasn't posted, deletes the attempt and returns undefined. */
    async findWithoutReposting(post: PostToFind): Promise<PostOnceOutcome | undefined> {
      const earlier = await findEarlier(post)
      if (!('searchedPostId' in earlier)) return earlier
      if (earlier.searchedPostId !== undefined) await attempts.finish(post, earlier.searchedPostId)
      return undefined
    },
    /** Lists the keys that start with this prefix and whose messages have an unknown outcome. */
    listPending: attempts.listPending,
  }
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

/** How long ago an attempt was made, in milliseconds. `now` and `attemptedAt` are from the same clock. */
type MeasureAge = (attempt: { postId: string; attemptedAt: Date; now: Date }) => number

/** How many attempts are remembered, with a post ID and a number each: about 2 MB. */
const MAX_ATTEMPTS_REMEMBERED = 20_000

/**
 * Measures ages by the database's clock. If that clock was set back, the attempt would look too recent, so its age is measured with
 * this process's stopwatch from the first call.
 */
function createAgeMeter(): MeasureAge {
  // Beyond the limit, the attempt that was checked longest ago counts as new again, which only delays its outcome.
  const firstMeasuredAt = new LRUCache<string, number>(lruOptions(MAX_ATTEMPTS_REMEMBERED))
  return ({ postId, attemptedAt, now }) => {
    const ageMs = now.getTime() - attemptedAt.getTime()
    if (ageMs >= 0) {
      firstMeasuredAt.delete(postId)
      return ageMs
    }
    const since = firstMeasuredAt.get(postId) ?? performance.now()
    firstMeasuredAt.set(postId, since)
    return performance.now() - since
  }
}

/** Slack's response to a post was lost or inconclusive, so it may have been posted. */
export class PostOutcomeUnknown extends Error {
  override readonly name = 'PostOutcomeUnknown'
  constructor(cause: unknown) {
    super('Slack did not say whether the message was posted.', { cause })
  }

  static matches = mayHaveHappened
}
