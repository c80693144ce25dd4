import { classifyFailure } from '@signalman/slack'

export interface PostTimes {
  /**
   * A message that isn't in the channel this long after it was sent counts as not posted, because a call to Slack ends within 10 s.
   * If Slack accepts it after that, it is posted twice, because `chat.postMessage` has no documented idempotency key.
   */
  readonly assumeLostAfterMs: number
  /** A post isn't sent if more than this time passed since its post ID was stored, such as while the process was suspended. */
  readonly sendDeadlineMs: number
  /** A monotonic clock in milliseconds; `performance.now` unless given. */
  readonly stopwatch: () => number
}

/** The result of looking for a post whose process died or whose response was lost. */
type LostPost<Posted> = { readonly posted: Posted } | 'not-posted' | OutcomePending

/** It isn't known yet whether the message was posted. Check again after `recheckMs`. */
export interface OutcomePending {
  readonly recheckMs: number
  /** True if Slack was searched, but may still be handling the request. False if the search failed: the pauses then get longer. */
  readonly mayStillArrive: boolean
}

const ASSUME_LOST_AFTER_MS = 15_000
/** If Slack hasn't answered for this long, post the message again: twice is better than never. */
const GIVE_UP_AFTER_MS = 300_000
const RETRY = { minMs: 5000, maxMs: 60_000 }

/**
 * Looks for a post with an unknown outcome. It wasn't posted if it isn't there and can't arrive anymore. Assumes the same if the app
 * isn't allowed to look. Throws if the thread is gone.
 */
export async function findLostPost<Posted>(
  find: () => Promise<Posted | undefined>,
  ageMs: number,
  {
    times,
    onSearchFailed,
  }: { times?: Partial<PostTimes> | undefined; onSearchFailed: (error: unknown) => void },
): Promise<LostPost<Posted>> {
  const assumeLostAfterMs = times?.assumeLostAfterMs ?? ASSUME_LOST_AFTER_MS
  try {
    const posted = await find()
    if (posted !== undefined) return { posted }
    return ageMs >= assumeLostAfterMs
      ? 'not-posted'
      : { recheckMs: Math.ceil(assumeLostAfterMs - ageMs), mayStillArrive: true }
  } catch (error) {
    const failure = classifyFailure(error)
    if (failure.kind === 'message-gone') throw error
    if ((failure.kind === 'rate-limited' || failure.kind === 'temporary') && ageMs <= GIVE_UP_AFTER_MS) {
      const delayByAgeMs = Math.min(RETRY.maxMs, Math.max(RETRY.minMs, Math.round(ageMs / 4)))
      const retryMs = failure.kind === 'temporary' ? delayByAgeMs : failure.retryMs
      return {
        recheckMs: Math.min(retryMs, Math.max(1000, Math.ceil(GIVE_UP_AFTER_MS - ageMs))),
        mayStillArrive: false,
      }
    }
    onSearchFailed(error)
    return 'not-posted'
  }
}

/** How to find a post with an unknown outcome. */
export interface PostSearch {
  readonly postId: string
  readonly sentAt: Date
  /** The current time on the same clock; earlier than `sentAt` if the clock was set back since. */
  readonly searchedAt?: Date | undefined
  /** The first message of its thread. */
  readonly threadTs?: string | undefined
}
