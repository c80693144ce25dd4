import { errorCode } from './error-code.ts'

/** Without a word of Slack about it, a call is tried again after this time. */
const UNSAID_MS = 5000
const LONGEST_MS = 3_600_000
/** The words of `@slack/web-api` for a 429 that says no time. */
const NO_TIME = /^Retry header did not contain a valid timeout/

const TOO_MANY = new Set(['ratelimited', 'rate_limited'])

/** How long Slack asks to be left alone, an hour at most, where it was one call too many (429); else undefined. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if (!('retryAfter' in error))
    return NO_TIME.test(error.message) || TOO_MANY.has(errorCode(error) ?? '') ? UNSAID_MS : undefined
  const seconds = Number(error.retryAfter)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_MS) : UNSAID_MS
}
