export interface RetryPolicy {
  /** Most requests for one call, the first included. */
  attempts: number
  /** Upper end of the first random pause; it doubles with each further one. */
  baseDelayMs: number
  /** Upper end of any random pause. */
  maxDelayMs: number
}

/**
 * Milliseconds to pause after the given failed attempt (1 is the first): random between 0 and a doubling bound, so that
 * callers who failed together do not return together, on top of what the service asked for.
 */
export function pauseMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number {
  const bound = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** Math.min(attempt - 1, 30))
  return (retryAfterSeconds ?? 0) * 1000 + random() * bound
}

/** Seconds named by a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
