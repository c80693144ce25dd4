/**
 * Posts per channel: on average `perSecond`, in bursts of at most 3. Slack promises one message per second per channel
 * and lets short bursts through without saying how long (https://docs.slack.dev/apis/web-api/rate-limits, November
 * 2026), so 3 is this playground's choice. `perSecond` 0 or less switches the limit off.
 */
export function createPostLimit(perSecond: number, now: () => Date) {
  const BURST = 3
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  /** Takes one post; the answer is 0, or the whole seconds to wait. */
  return (channel: string): number => {
    if (perSecond <= 0) return 0
    const nowMs = now().getTime()
    const before = buckets.get(channel) ?? { tokens: BURST, atMs: nowMs }
    const tokens = Math.min(BURST, before.tokens + ((nowMs - before.atMs) / 1000) * perSecond)
    const granted = tokens >= 1
    buckets.set(channel, { tokens: granted ? tokens - 1 : tokens, atMs: nowMs })
    return granted ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }
}
