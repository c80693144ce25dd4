import { LRUCache } from 'lru-cache'

/** Word of what other processes, and other connections of this one, change. */
export interface Changes {
  /**
   * Another number whenever anything may have changed of which no workspace was named; undefined while it cannot be said
   * what has changed. What was named has been told to the listeners before this gives a number.
   */
  mark(): number | undefined | Promise<number | undefined>
  /** Hears the name of each workspace in which something has changed. */
  hear(listener: (workspaceId: string) => void): void
}

export interface ReadCache {
  /** What is kept of the workspace, or of the organization, under the key, else what `read` gives, which nobody may change. */
  get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T>
  /** Passes on what a write of this process comes to; from then on nothing of that owner from before it is given. */
  changing<T>(ownerId: string, write: Promise<T>): Promise<T>
}

/** Workspaces and organizations whose answers are kept: some 2 KB each. */
const OWNERS = 20_000
/** Answers of one, which is 6 KB: a workspace may have used the app in any number of channels. */
const ANSWERS = 32

/**
 * Keeps the answers of the 20,000 owners last asked for, all of an owner's until anything of it changes: one rule, by which
 * nothing can be forgotten to be dropped, and by which one workspace's change costs no other anything.
 */
export function createReadCache(changes: Changes): ReadCache {
  const kept = new LRUCache<string, Map<string, { value: unknown }>>({ max: OWNERS })
  let seen: number | undefined
  changes.hear((ownerId) => kept.delete(ownerId))

  /** What is kept of an owner and is true now; undefined while nothing may be kept. */
  async function answersOf(ownerId: string): Promise<Map<string, { value: unknown }> | undefined> {
    const said = changes.mark()
    const mark = said instanceof Promise ? await said : said
    if (mark === undefined) return undefined
    if (mark !== seen) kept.clear()
    seen = mark
    const answers = kept.get(ownerId) ?? new Map<string, { value: unknown }>()
    kept.set(ownerId, answers)
    return answers
  }

  return {
    async get<T>(ownerId: string, key: string, read: () => Promise<T>): Promise<T> {
      const answers = await answersOf(ownerId)
      if (answers === undefined) return read()
      const known = answers.get(key)
      // One key stands for one kind of answer (see cached-reads.ts), so what is under it is what `read` gives.
      if (known) return known.value as T
      const value = await read()
      // What was read while something of the owner changed may be of before it; then these are its answers no longer.
      if (kept.peek(ownerId) !== answers) return value
      if (answers.size >= ANSWERS) answers.clear()
      answers.set(key, { value })
      return value
    },
    changing: (ownerId, write) => write.finally(() => kept.delete(ownerId)),
  }
}
