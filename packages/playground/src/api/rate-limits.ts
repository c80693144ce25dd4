/** The `rate` option: no rate limits, or Slack's limit on posts. */
export type RateLimitMode = 'off' | 'slack'

/** One post per second in each channel, with bursts of up to 3. Slack allows short bursts, but doesn't document their size. */
const POST_LIMIT = { burst: 3, perSecond: 1 }

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * Limits the app's calls with token buckets. `countPost` counts a post and returns 0, or the seconds to wait if there were too many.
 */
export function createRateLimiter(rate: RateLimitMode, now: () => Date) {
  const buckets = new Map<string, { tokens: number; atMs: number }>()

  function spendToken(key: string, { burst, perSecond }: typeof POST_LIMIT): number {
    const nowMs = now().getTime()
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs }
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond)
    const granted = tokens >= 1
    buckets.set(key, { tokens: granted ? tokens - 1 : tokens, atMs: nowMs })
    return granted ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }

  return {
    countPost: (channel: string): number => (rate === 'off' ? 0 : spendToken(channel, POST_LIMIT)),
  }
}
