import { atMost } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** Tells of changes by other processes, and by other connections of this one. */
export interface Changes {
  /**
   * A new number after every change that names no workspace; undefined while changes cannot be told. Changes that name one have
   * reached the listeners before this gives a number.
   */
  version(): number | undefined | Promise<number | undefined>
  /** Calls the listener with the id of each workspace in which something has changed. */
  hear(listener: (workspaceId: string) => void): void
}

export type ReadCache = ReturnType<typeof createReadCache>

/** Owners whose answers are kept; some 2 KB each. */
const OWNERS = 20_000
/** Answers of one owner, up to 6 KB: a workspace may have used the app in any number of channels. */
const ANSWERS = 32

/**
 * Keeps the answers of the 20,000 owners used last. Any change of an owner drops all its answers and no others: a write cannot
 * forget to drop one, and costs other workspaces nothing.
 */
export function createReadCache(changes: Changes) {
  const kept = new LRUCache<string, Map<string, { value: unknown }>>(atMost(OWNERS))
  let seen: number | undefined
  changes.hear((ownerId) => kept.delete(ownerId))

  /** The current answers of an owner; undefined while nothing may be kept. */
  async function answersOf(ownerId: string): Promise<Map<string, { value: unknown }> | undefined> {
    const given = changes.version()
    const version = given instanceof Promise ? await given : given
    if (version === undefined) return undefined
    if (version !== seen) kept.clear()
    seen = version
    const known = kept.get(ownerId)
    if (known) return known
    const answers = new Map<string, { value: unknown }>()
    kept.set(ownerId, answers)
    return answers
  }

  return {
    /** The kept answer of this owner (a workspace or an organization) and key, else what `read` gives. Do not mutate it. */
    async get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T> {
      const answers = await answersOf(ownerId)
      if (answers === undefined) return read()
      const known = answers.get(key)
      // One key has one type of answer (see cached-reads.ts): the type that `read` gives.
      if (known) return known.value as T
      const value = await read()
      // The owner changed during the read: the value may be older than the change, so it is not kept.
      if (kept.peek(ownerId) !== answers) return value
      if (answers.size >= ANSWERS) answers.clear()
      answers.set(key, { value })
      return value
    },
    /** Drops every answer of that owner. */
    forget: (ownerId: string): void => void kept.delete(ownerId),
    /** Returns the result of a write of this process, and drops every answer of that owner from before it. */
    changing: <T>(ownerId: string, write: Promise<T>): Promise<T> =>
      write.finally(() => kept.delete(ownerId)),
  }
}
