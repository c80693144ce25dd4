import { LeaseLost, type PostAttempts, retryUntilAvailable } from '@signalman/durable'
import { type Log, lruOptions } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { findLostPost, type OutcomePending, type PostTimes, type SentMark } from './find-lost-post.ts'

/** A message that may have been posted although its response was lost. */
export interface PostToFind {
  workspaceId: string
  /** Identifies it among all messages of the workspace. */
  key: string
  /** Looks for the message by its mark. */
  find(sent: SentMark): Promise<PostedMessage | undefined>
  /** Stores its channel and ts, and the version it shows: a message that was found may show an earlier one. */
  record(posted: PostedMessage, version: number): Promise<unknown>
}

/** With `posted`, the message was posted, and its ts is stored. */
export type PostOnceOutcome = { readonly posted: PostedMessage; readonly isFound: boolean } | OutcomePending

export type LostPosts = ReturnType<typeof createLostPosts>

const STORE_RETRY_MS = 3000

interface SentPost {
  mark: string
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
    { mark, version, posted }: SentPost,
  ): Promise<void> {
    // Worth a few seconds of retries: if this isn't stored, the message must be looked for later or is posted twice.
    await retryUntilAvailable(() => post.record(posted, version), {
      timeoutMs: STORE_RETRY_MS,
      isFinal: (error) => error instanceof LeaseLost,
    })
    await attempts.settle(post, mark)
  }

  async function findOutcome(
    post: PostToFind,
  ): Promise<PostOnceOutcome | { searchedMark: string | undefined }> {
    const before = await attempts.find(post)
    if (!before) return { searchedMark: undefined }
    const { mark, version, attemptedAt: sentAt, now: searchedAt } = before
    const onSearchFailed = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        "Couldn't find out whether a message was posted; assuming that it wasn't.",
      )
    const find = () => post.find({ mark, sentAt, searchedAt: searchedAt })
    const lost = await findLostPost(find, measureAge(before), { times, onSearchFailed }).catch(
      async (error: unknown) => {
        await attempts.settle(post, mark)
        throw error
      },
    )
    if (lost === 'not-posted') return { searchedMark: mark }
    if ('recheckMs' in lost) return lost
    await settle(post, { mark, version, posted: lost.posted })
    return { posted: lost.posted, isFound: true }
  }

  return {
    /** Finds the outcome of an earlier attempt. If the message wasn't posted, returns the mark that was searched for. */
    findOutcome,
    /**
     * Like `findOutcome`, for a message that won't be posted again. If it wasn't posted, returns undefined and forgets the
     * attempt.
     */
    async findWithoutReposting(post: PostToFind): Promise<PostOnceOutcome | undefined> {
      const result = await findOutcome(post)
      if (!('searchedMark' in result)) return result
      if (result.searchedMark !== undefined) await attempts.settle(post, result.searchedMark)
      return undefined
    },
    /** Lists the keys that start with this prefix and whose messages have an unknown outcome. */
    listPending: attempts.listPending,
    /** Stores that the message was posted, so that it is no longer looked for. */
    settle,
  }
}

/** How long ago an attempt was made, in milliseconds. `now` and `attemptedAt` are from the same clock. */
type MeasureAge = (attempt: { mark: string; attemptedAt: Date; now: Date }) => number

/** How many attempts are remembered, with a mark and a number each: about 2 MB. */
const MAX_ATTEMPTS_REMEMBERED = 20_000

/**
 * Measures ages by the database's clock. If that clock was set back, measures from the first call with this process's stopwatch:
 * otherwise the attempt would look too recent for as long as the clock was set back.
 */
function createAgeMeter(stopwatch = () => performance.now()): MeasureAge {
  // Beyond the limit, the attempt that was checked longest ago counts as new again, which only delays its outcome.
  const firstMeasuredAt = new LRUCache<string, number>(lruOptions(MAX_ATTEMPTS_REMEMBERED))
  return ({ mark, attemptedAt, now }) => {
    const ageMs = now.getTime() - attemptedAt.getTime()
    if (ageMs >= 0) {
      firstMeasuredAt.delete(mark)
      return ageMs
    }
    const since = firstMeasuredAt.get(mark) ?? stopwatch()
    firstMeasuredAt.set(mark, since)
    return stopwatch() - since
  }
}
