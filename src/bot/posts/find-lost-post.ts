import { findOutcome, type OutcomePending } from '@signalman/durable'
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
): Promise<{ readonly posted: Posted } | 'not-posted' | OutcomePending> {
  const found = await findOutcome<Posted>({
    async lookUp() {
      const posted = await find()
      return posted === undefined ? 'not-done' : { outcome: posted }
    },
    ageMs,
    settleMs: times?.assumeLostAfterMs ?? ASSUME_LOST_AFTER_MS,
    retryAfter(error) {
      const failure = classifyFailure(error)
      if (failure.kind === 'message-gone') throw error
      const isTemporary = failure.kind === 'rate-limited' || failure.kind === 'temporary'
      if (!isTemporary || ageMs > GIVE_UP_AFTER_MS) return void onSearchFailed(error)
      const delayByAgeMs = Math.min(RETRY.maxMs, Math.max(RETRY.minMs, Math.round(ageMs / 4)))
      const retryMs = failure.kind === 'temporary' ? delayByAgeMs : failure.retryMs
      return Math.min(retryMs, Math.max(1000, Math.ceil(GIVE_UP_AFTER_MS - ageMs)))
    },
  })
  if (typeof found === 'string') return 'not-posted'
  return 'outcome' in found ? { posted: found.outcome } : found
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
