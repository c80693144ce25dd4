import { LRUCache } from 'lru-cache'
import { atMost } from './at-most.ts'

/** Answers of a slow source, each asked for once at a time and kept for a while. */
export interface ShortCache<T> {
  /**
   * The kept answer under the key, where it was asked for within `maxAgeMs` (`freshMs` unless given), or what `ask` gives. A
   * failure is passed on, and kept only for `failedMs`.
   */
  get(key: string, ask: () => Promise<T>, maxAgeMs?: number): Promise<T>
  /** The next one to ask gets a new answer. */
  drop(key: string): void
}

/** Keeps at most `kept` answers for `freshMs` each. */
export function createShortCache<T>(options: {
  freshMs: number
  /** A failure is passed on for so long before it is asked again; 0 unless given. */
  failedMs?: number
  kept: number
  now: () => Date
}): ShortCache<T> {
  const { freshMs, failedMs = 0, kept, now } = options
  const answers = new LRUCache<string, { at: number; answer: Promise<T> }>(atMost(kept))
  return {
    drop: (key) => void answers.delete(key),
    get(key, ask, maxAgeMs = freshMs) {
      const found = answers.get(key)
      const at = now().getTime()
      // Of a clock that was set back nobody knows how long ago that was.
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
