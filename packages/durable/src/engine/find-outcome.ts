/** The result of asking the other system about an attempt with an unknown outcome. */
export type LookupResult<T> = { outcome: T } | 'not-done' | 'unknown'

/** It isn't known yet. Check again after `recheckMs`. */
export interface OutcomePending {
  readonly recheckMs: number
  /** True if the other system answered, but may still be handling the request. False if it couldn't be asked. */
  readonly mayStillArrive: boolean
}

/** An attempt that this process or another one began, and how to find out how it ended. */
export interface OpenEffect<T> {
  /** Asks the other system. Without it, nobody can find out, so the request is never sent again. */
  lookUp?: (() => Promise<LookupResult<T>>) | undefined
  /** How long ago the attempt began, at least. */
  ageMs: number
  /** The longest that the request can run. */
  maxInFlightMs: number
  /** How long to wait after a failed lookup. Undefined to give up. May throw. */
  retryAfter?(error: unknown): number | undefined
}

/**
 * Finds out how an attempt ended. What the other system shows counts at once. What it doesn't show counts as not done only once the
 * request can't arrive anymore.
 */
export async function findOutcome<T>({
  lookUp,
  ageMs,
  maxInFlightMs,
  retryAfter,
}: OpenEffect<T>): Promise<LookupResult<T> | OutcomePending> {
  let found: LookupResult<T> = 'unknown'
  try {
    if (lookUp) found = await lookUp()
  } catch (error) {
    const recheckMs = retryAfter?.(error)
    return recheckMs === undefined ? 'unknown' : { recheckMs, mayStillArrive: false }
  }
  if (typeof found === 'object' || ageMs >= maxInFlightMs) return found
  return { recheckMs: Math.ceil(maxInFlightMs - ageMs), mayStillArrive: true }
}
