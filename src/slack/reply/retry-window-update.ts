import { mayPass } from '../client/slack-errors.ts'

/** The pauses after the first three tries, where Slack asks for none that is longer. */
const PAUSES_MS = [500, 1500, 4000]
/** Nobody looks at a window for longer: a longer pause that Slack asks for is cut to this one. */
const MOST_PAUSE_SECONDS = 10

/**
 * Fills a window, with up to four calls where an error may pass: as far apart as Slack asks for, but at most 10 s. A window's
 * contents may be sent again without harm; a new message may not, and never goes this way. Throws the last error.
 */
export async function retryWindowUpdate<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, askedFor(error))))
    }
  }
  return work()
}

function askedFor(error: unknown): number {
  const seconds = error instanceof Error && 'retryAfter' in error ? Number(error.retryAfter) : 0
  return Number.isFinite(seconds) ? Math.min(seconds, MOST_PAUSE_SECONDS) * 1000 : 0
}
