/** Opened tokens kept for a short while. */
export interface OpenedTokens {
  /** The token that `sealed` holds, opened now unless it was a short while ago. What `open` throws is passed on. */
  get(sealed: string, open: () => string): string
  /** Drops all of them. */
  clear(): void
}

const KEPT = 200
const LIFE_MS = 60_000

/**
 * Keyed by the sealed text, so it saves the opening and never the look into the database: a token replaced or
 * forgotten by another process is not served from here, not even within its life. No two sealed texts are alike,
 * because each has its own nonce.
 */
export function createOpenedTokens(now: () => Date): OpenedTokens {
  const kept = new Map<string, { token: string; until: number }>()
  return {
    get(sealed, open) {
      const at = now().getTime()
      const known = kept.get(sealed)
      if (known !== undefined && at < known.until) return known.token
      const token = open()
      kept.delete(sealed)
      const oldest = kept.keys().next()
      if (kept.size >= KEPT && !oldest.done) kept.delete(oldest.value)
      kept.set(sealed, { token, until: at + LIFE_MS })
      return token
    },
    clear: () => kept.clear(),
  }
}
