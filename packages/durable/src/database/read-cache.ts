import { atMost } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

export type ReadCache = ReturnType<typeof createReadCache>

const TTL_MS = 1000
const OWNERS = 2000
/** A workspace may have any number of rows that are read. */
const ANSWERS_PER_OWNER = 32

/**
 * Keeps what was read for one second. A write by this process drops everything of its owner at once; one by another process is seen
 * within that second. Whatever decides about a change must not use it, but read the database.
 */
export function createReadCache() {
  const owners = new LRUCache<string, Map<string, { value: unknown; readAt: number }>>(atMost(OWNERS))

  function answersFor(ownerId: string) {
    const known = owners.get(ownerId) ?? new Map<string, { value: unknown; readAt: number }>()
    owners.set(ownerId, known)
    return known
  }

  const invalidate = (ownerId: string): void => void owners.delete(ownerId)

  return {
    /** The cached answer for this owner (a workspace or an organization) and key, or what `read` returns. Don't mutate it. */
    async get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T> {
      const answers = answersFor(ownerId)
      const known = answers.get(key)
      // The database is as old as the beginning of the read.
      const readAt = performance.now()
      // One key has one type of answer: the one that `read` returns.
      if (known && readAt - known.readAt < TTL_MS) return known.value as T
      const value = await read()
      // If the owner changed during the read, the value may be older than the change.
      if (owners.peek(ownerId) !== answers) return value
      if (answers.size >= ANSWERS_PER_OWNER) answers.clear()
      answers.set(key, { value, readAt })
      return value
    },
    /** Drops every answer of that owner. */
    invalidate,
    /** Returns the result of a write of this process, and drops every answer of that owner from before it. */
    invalidateAfter: <T>(ownerId: string, write: Promise<T>): Promise<T> =>
      write.finally(() => invalidate(ownerId)),
  }
}
