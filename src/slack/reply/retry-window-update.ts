import { setTimeout as pause } from 'node:timers/promises'
import { retryAfterMs } from '../client/retry-after.ts'
import { mayHaveHappened } from '../client/slack-answer.ts'

/** The pauses after the first three tries, unless Slack asks for a longer one. */
const PAUSES_MS = [500, 1500, 4000]
/** Nobody looks at a window for longer: a longer pause that Slack asks for is cut to this. */
const LONGEST_PAUSE_MS = 10_000

/**
 * Fills a window, with up to four calls where an error may pass: as far apart as Slack asks for, but at most 10 s. A window's
 * contents may be sent again without harm; a new message may not, and never goes this way. Throws the last error.
 */
export async function retryWindowUpdate<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      const askedMs = retryAfterMs(error)
      if (askedMs === undefined && !mayHaveHappened(error)) throw error
      await pause(Math.max(pauseMs, Math.min(askedMs ?? 0, LONGEST_PAUSE_MS)))
    }
  }
  return work()
}
