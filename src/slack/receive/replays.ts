const REMEMBERED = 5000

/**
 * Recognises duplicate deliveries: runs `work` once per key and gives every call with that key the same answer. Remembers
 * the last 5,000 to 10,000 keys of this process. Rows of acts do the same across processes and restarts.
 */
export function createReplays(): { once<T>(key: string, work: () => Promise<T>): Promise<T> } {
  // Two halves, the older dropped as a whole: taking the oldest key out of one map means passing over all that were
  // taken out before it.
  let recent = new Map<string, Promise<unknown>>()
  let older = recent
  return {
    once<T>(key: string, work: () => Promise<T>): Promise<T> {
      const known = recent.get(key) ?? older.get(key)
      // The value under a key is what `work` of the first call with it gave, hence of the same type.
      if (known) return known as Promise<T>
      if (recent.size === REMEMBERED) {
        older = recent
        recent = new Map()
      }
      const answer = work()
      recent.set(key, answer)
      // What could not be answered may be asked again.
      answer.catch(() => {
        recent.delete(key)
        older.delete(key)
      })
      return answer
    },
  }
}
