import { LRUCache } from 'lru-cache'

/**
 * Another number whenever another process may have changed something since it was last asked, at once or as soon as word of
 * it has come; undefined while no word would come.
 */
export type ChangeMark = () => number | undefined

export interface ReadCache {
  /** What is kept under the key, else what `read` gives, which nobody may change. */
  get<T>(key: string, read: () => Promise<T>): Promise<T>
  /** Passes on what a write of this process comes to; from then on nothing from before it is given. */
  changing<T>(write: Promise<T>): Promise<T>
}

const KEPT = 10_000

/** Keeps the 10,000 last used answers until anything changes: one rule, by which nothing can be forgotten to be dropped. */
export function createReadCache(changeMark: ChangeMark): ReadCache {
  const kept = new LRUCache<string, { value: unknown }>({ max: KEPT })
  let seen: number | undefined
  let generation = 0

  function drop(): void {
    generation += 1
    kept.clear()
  }

  /** Undefined while nothing may be kept. */
  function generationNow(): number | undefined {
    const mark = changeMark()
    if (mark !== seen) drop()
    seen = mark
    return mark === undefined ? undefined : generation
  }

  return {
    async get<T>(key: string, read: () => Promise<T>): Promise<T> {
      const before = generationNow()
      if (before === undefined) return read()
      const known = kept.get(key)
      // One key stands for one kind of answer (see cached-reads.ts), so what is under it is what `read` gives.
      if (known) return known.value as T
      const value = await read()
      // What was read while something changed may be of before it.
      if (generationNow() === before) kept.set(key, { value })
      return value
    },
    changing: (write) => write.finally(drop),
  }
}
