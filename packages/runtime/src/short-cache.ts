import { LRUCache } from 'lru-cache'
import { lruOptions } from './at-most.ts'

/** Caches the results of a slow source for a while. Concurrent requests for the same key share one call. */
export interface ShortCache<T> {
  /**
   * Returns the cached result if it is no older than `maxAgeMs` (`freshMs` by default), or else the result of `ask`. Failures are
   * passed on and cached only for `failedMs`.
   */
  get(key: string, ask: () => Promise<T>, maxAgeMs?: number): Promise<T>
  /** Removes a result, so that the next caller gets a new one. */
  drop(key: string): void
}

/** Caches up to `kept` results for `freshMs` each. */
export function createShortCache<T>(options: {
  freshMs: number
  /** How long a failure is cached. 0 by default. */
  failedMs?: number
  kept: number
  now: () => Date
}): ShortCache<T> {
  const { freshMs, failedMs = 0, kept, now } = options
  const answers = new LRUCache<string, { at: number; answer: Promise<T> }>(lruOptions(kept))
  return {
    drop: (key) => void answers.delete(key),
    get(key, ask, maxAgeMs = freshMs) {
      const found = answers.get(key)
      const at = now().getTime()
      // If the clock was set back, the age is unknown.
      if (found && at >= found.at && at - found.at < maxAgeMs) return found.answer
      const entry = { at, answer: ask() }
      answers.set(key, entry)
      entry.answer.catch(() => {
        if (answers.get(key) !== entry) return
        if (failedMs > 0) entry.at = now().getTime() + failedMs - freshMs
        else answers.delete(key)
      })
      return entry.answer
    },
  }
}
