const REMEMBERED = 5000

/**
 * Runs `work` once per key and gives everyone who asks with that key the same answer. Remembers the last 5,000 keys of
 * this process; the store's claims do the same across processes and restarts, after the acknowledgement.
 */
export function createReplays(): { once<T>(key: string, work: () => Promise<T>): Promise<T> } {
  const answers = new Map<string, Promise<unknown>>()
  return {
    once<T>(key: string, work: () => Promise<T>): Promise<T> {
      const known = answers.get(key)
      // The value under a key is what `work` of the first call with it gave, hence of the same type.
      if (known) return known as Promise<T>
      const answer = work()
      answers.set(key, answer)
      if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value ?? key)
      return answer
    },
  }
}
