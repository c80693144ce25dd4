const REMEMBERED = 5000

/**
 * Recognises duplicate deliveries: runs `work` once per key and gives every call with that key the same answer. Remembers
 * the last 5,000 to 10,000 keys of this process. Rows of acts do the same across processes and restarts.
 */
export function createRepeatedDeliveries(): { once<T>(key: string, work: () => Promise<T>): Promise<T> } {
  const underWay = new Map<string, Promise<unknown>>()
  // Keeps answers and not promises, of which the garbage collector would copy thousands. In two halves,
  // the older dropped as a whole: taking the oldest key out of one map means passing over all that were taken out before it.
  let recent = new Map<string, unknown>()
  let older = recent

  async function answered(key: string, work: Promise<unknown>): Promise<unknown> {
    try {
      const answer = await work
      if (recent.size === REMEMBERED) {
        older = recent
        recent = new Map()
      }
      recent.set(key, answer)
      return answer
    } finally {
      // A request whose work failed may be sent again.
      underWay.delete(key)
    }
  }

  return {
    // The first call with this key gave the value, hence of the same type.
    once<T>(key: string, work: () => Promise<T>): Promise<T> {
      const running = underWay.get(key)
      if (running) return running as Promise<T>
      const known = recent.has(key) ? recent : older
      if (known.has(key)) return Promise.resolve(known.get(key) as T)
      const answer = answered(key, work())
      underWay.set(key, answer)
      return answer as Promise<T>
    },
  }
}
