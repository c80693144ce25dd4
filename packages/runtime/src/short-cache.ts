import { LRUCache } from 'lru-cache'

/**
 * Options for an LRU cache whose memory grows with its entries. With `max`, lru-cache 11 allocates arrays of that length
 * immediately, which took a sixth of the app's own startup time in a profile.
 */
export const lruOptions = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })

/** Caches the results of a slow source for a while. Concurrent requests for the same key share one call. */
interface ShortCache<T> {
  /**
   * Returns the cached result if it's younger than `maxAgeMs` (`freshMs` by default), or else the result of `load`. Failures are
   * passed on and cached only for `failedMs`.
   */
  get(key: string, load: () => Promise<T>, maxAgeMs?: number): Promise<T>
  /** Removes a result, so that the next caller gets a new one. */
  drop(key: string): void
  /** Removes every result whose key begins with this. */
  dropAll(prefix: string): void
}

/** Caches up to `maxEntries` results for `freshMs` each. */
export function createShortCache<T>(options: {
  freshMs: number
  /** How long a failure is cached. 0 by default. */
  failedMs?: number
  maxEntries: number
  now: () => Date
}): ShortCache<T> {
  const { freshMs, failedMs = 0, maxEntries, now } = options
  const entries = new LRUCache<string, { at: number; result: Promise<T> }>(lruOptions(maxEntries))
  return {
    drop: (key) => void entries.delete(key),
    dropAll(prefix) {
      for (const key of [...entries.keys()]) if (key.startsWith(prefix)) entries.delete(key)
    },
    get(key, load, maxAgeMs = freshMs) {
      const cached = entries.get(key)
      const at = now().getTime()
      // If the clock was set back, the age is unknown.
      if (cached && at >= cached.at && at - cached.at < maxAgeMs) return cached.result
      const entry = { at, result: load() }
      entries.set(key, entry)
      entry.result.catch(() => {
        if (entries.get(key) !== entry) return
        // Backdates the entry, so that it expires after `failedMs`.
        if (failedMs > 0) entry.at = now().getTime() + failedMs - freshMs
        else entries.delete(key)
      })
      return entry.result
    },
  }
}
