const MINUTE_MS = 60_000

/** Methods of Slack's tier 3, which a workspace may call about fifty times a minute (https://docs.slack.dev/apis/web-api/rate-limits, November 2026). */
const TIER_3 = new Set(['conversations.info', 'users.conversations', 'chat.update'])
const LIMITS = { tier3: { calls: 50, inMs: MINUTE_MS }, channel: { calls: 1, inMs: 1000 } }

/** Slack's rate limits for the calls that the app makes for each message. */
export function createSlackLimits() {
  const times = new Map<string, number[]>()

  function takeOne(key: string, { calls, inMs }: { calls: number; inMs: number }): number {
    const now = Date.now()
    const recent = (times.get(key) ?? []).filter((at) => now - at < inMs)
    const [oldest = now] = recent
    if (recent.length >= calls) return Math.ceil((oldest + inMs - now) / 1000)
    times.set(key, [...recent, now])
    return 0
  }

  return {
    /** Takes one call. Otherwise returns after how many seconds it may be made again. */
    take(method: string, { channel, workspace }: { channel: string; workspace: string }): number {
      if (TIER_3.has(method)) return takeOne(`${method} ${workspace}`, LIMITS.tier3)
      return method === 'chat.postMessage' ? takeOne(channel, LIMITS.channel) : 0
    },
  }
}
