import { createShortCache, lruOptions } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

export type ReadCache = ReturnType<typeof createReadCache>

const TTL_MS = 1000
const MAX_OWNERS = 2000
const MAX_ANSWERS_PER_OWNER = 32

/**
 * Caches reads for one second. A write by this process drops all cached answers of its owner immediately. A write by another
 * process is visible within a second. Code that decides about a change must read the database instead.
 */
export function createReadCache() {
  // Only differences count, so the start of the process is as good as 1970, and nobody sets this clock.
  const now = () => new Date(performance.now())
  const createAnswers = () =>
    createShortCache<unknown>({ freshMs: TTL_MS, maxEntries: MAX_ANSWERS_PER_OWNER, now })
  // A read that began before a write answers into a cache that was dropped with its owner.
  const owners = new LRUCache<string, ReturnType<typeof createAnswers>>(lruOptions(MAX_OWNERS))

  const invalidate = (ownerId: string): void => void owners.delete(ownerId)

  return {
    /**
     * Returns the cached answer for this owner (a workspace or an organization) and key, or the result of `read`. Don't mutate
     * it.
     */
    get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T> {
      const answers = owners.get(ownerId) ?? createAnswers()
      owners.set(ownerId, answers)
      // Each key has one type of answer: the one that its `read` returns.
      return answers.get(key, read) as Promise<T>
    },
    /** Drops all of the owner's answers. */
    invalidate,
    /** Awaits a write by this process, drops all of the owner's earlier answers, and returns the result. */
    invalidateAfter: <T>(ownerId: string, write: Promise<T>): Promise<T> =>
      write.finally(() => invalidate(ownerId)),
  }
}
