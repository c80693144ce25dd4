import { lruOptions } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

export type ReadCache = ReturnType<typeof createReadCache>

const TTL_MS = 1000
const MAX_OWNERS = 2000
/** When an owner has this many cached answers, all of them are dropped. */
const MAX_ANSWERS_PER_OWNER = 32

/**
 * Caches reads for one second. A write by this process drops all cached answers of its owner immediately. A write by another
 * process is visible within a second. Code that decides about a change must read the database instead.
 */
export function createReadCache() {
  const owners = new LRUCache<string, Map<string, { value: unknown; readAt: number }>>(lruOptions(MAX_OWNERS))

  const invalidate = (ownerId: string): void => void owners.delete(ownerId)

  return {
    /**
     * Returns the cached answer for this owner (a workspace or an organization) and key, or the result of `read`. Don't mutate
     * it.
     */
    async get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T> {
      const answers = owners.get(ownerId) ?? new Map<string, { value: unknown; readAt: number }>()
      owners.set(ownerId, answers)
      const cached = answers.get(key)
      // An answer is as old as the start of its read.
      const readAt = performance.now()
      // Each key has one type of answer: the one that its `read` returns.
      if (cached && readAt - cached.readAt < TTL_MS) return cached.value as T
      const value = await read()
      // If the owner changed during the read, the value may be outdated.
      if (owners.peek(ownerId) !== answers) return value
      if (answers.size >= MAX_ANSWERS_PER_OWNER) answers.clear()
      answers.set(key, { value, readAt })
      return value
    },
    /** Drops all of the owner's answers. */
    invalidate,
    /** Awaits a write by this process, drops all of the owner's earlier answers, and returns the result. */
    invalidateAfter: <T>(ownerId: string, write: Promise<T>): Promise<T> =>
      write.finally(() => invalidate(ownerId)),
  }
}
