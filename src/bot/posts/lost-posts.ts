import { LeaseLost, type OutcomePending, type PostAttempts, retryUntilAvailable } from '@signalman/durable'
import { type Log, lruOptions } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { findLostPost, type PostSearch, type PostTimes } from './find-lost-post.ts'

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

/** With `posted`, the message was posted, and its ts is stored. `isFound`: an earlier attempt had posted it. */
export type PostOnceOutcome = { readonly posted: PostedMessage; readonly isFound: boolean } | OutcomePending

export type LostPosts = ReturnType<typeof createLostPosts>

const STORE_RETRY_MS = 3000

interface SentPost {
  postId: string
  version: number
  posted: PostedMessage
}

/** Finds out whether a message was posted when the process died before Slack responded, or when the response was lost. */
export function createLostPosts(deps: {
  attempts: Pick<PostAttempts, 'find' | 'listPending' | 'settle'>
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, log, times } = deps
  const measureAge = createAgeMeter(times?.stopwatch)

  async function settle(
    post: Pick<PostToFind, 'workspaceId' | 'key' | 'record'>,
    { postId, version, posted }: SentPost,
  ): Promise<void> {
    // Retried for a few seconds, because otherwise the message has to be looked for later, or is posted twice.
    await retryUntilAvailable(() => post.record(posted, version), {
      timeoutMs: STORE_RETRY_MS,
      isFinal: (error) => error instanceof LeaseLost,
    })
    await attempts.settle(post, postId)
  }

  async function findOutcome(
    post: PostToFind,
  ): Promise<PostOnceOutcome | { searchedPostId: string | undefined }> {
    const attempt = await attempts.find(post)
    if (!attempt) return { searchedPostId: undefined }
    const { postId, version, attemptedAt: sentAt, now: searchedAt } = attempt
    const onSearchFailed = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        "Couldn't find out whether a message was posted; assuming that it wasn't.",
      )
    const find = () => post.find({ postId, sentAt, searchedAt })
    const lost = await findLostPost(find, measureAge(attempt), { times, onSearchFailed }).catch(
      async (error: unknown) => {
        await attempts.settle(post, postId)
        throw error
      },
    )
    if (lost === 'not-posted') return { searchedPostId: postId }
    if ('recheckMs' in lost) return lost
    await settle(post, { postId, version, posted: lost.posted })
    return { posted: lost.posted, isFound: true }
  }

  return {
    /** Finds the outcome of an earlier attempt. If the message wasn't posted, returns the post ID that was searched for. */
    findOutcome,
    /**
     * Like `findOutcome`, for a message that won't be posted again. If it wasn't posted, deletes the attempt and returns
     * undefined.
     */
    async findWithoutReposting(post: PostToFind): Promise<PostOnceOutcome | undefined> {
      const result = await findOutcome(post)
      if (!('searchedPostId' in result)) return result
      if (result.searchedPostId !== undefined) await attempts.settle(post, result.searchedPostId)
      return undefined
    },
    /** Lists the keys that start with this prefix and whose messages have an unknown outcome. */
    listPending: attempts.listPending,
    /** Stores that the message was posted, so that it is no longer looked for. */
    settle,
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
function createAgeMeter(stopwatch = () => performance.now()): MeasureAge {
  // Beyond the limit, the attempt that was checked longest ago counts as new again, which only delays its outcome.
  const firstMeasuredAt = new LRUCache<string, number>(lruOptions(MAX_ATTEMPTS_REMEMBERED))
  return ({ postId, attemptedAt, now }) => {
    const ageMs = now.getTime() - attemptedAt.getTime()
    if (ageMs >= 0) {
      firstMeasuredAt.delete(postId)
      return ageMs
    }
    const since = firstMeasuredAt.get(postId) ?? stopwatch()
    firstMeasuredAt.set(postId, since)
    return stopwatch() - since
  }
}
