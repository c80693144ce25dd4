export interface InFlight {
  add(work: Promise<unknown>): void
  readonly count: number
  /** Waits until nothing runs any more, at most `limitMs`. Resolves with how many are left. */
  drained(limitMs: number): Promise<number>
}

/** Counts work that goes on after its request was answered. */
export function createInFlight(): InFlight {
  const running = new Set<Promise<unknown>>()
  return {
    add(work) {
      running.add(work)
      work.finally(() => running.delete(work)).catch(() => undefined)
    },
    get count() {
      return running.size
    },
    async drained(limitMs) {
      const limit = Promise.withResolvers<void>()
      const timer = setTimeout(limit.resolve, limitMs)
      await Promise.race([settled(running), limit.promise])
      clearTimeout(timer)
      return running.size
    },
  }
}

/** Work may start more work while it ends, so this looks again until nothing is left. */
async function settled(running: Set<Promise<unknown>>): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}
