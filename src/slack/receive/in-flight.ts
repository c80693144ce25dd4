export interface InFlight {
  add(work: Promise<unknown>): void
  readonly count: number
  /** Waits until no work is left, at most `limitMs`. Resolves with how much is left. */
  drained(limitMs: number): Promise<number>
}

/** Counts work that continues after its request was answered. */
export function createInFlight(): InFlight {
  let count = 0
  let idle = Promise.withResolvers<void>()

  function end(): void {
    count -= 1
    if (count > 0) return
    idle.resolve()
    idle = Promise.withResolvers()
  }

  /** Work that ends may start other work, so this looks again until none is left. */
  async function settled(): Promise<void> {
    while (count > 0) await idle.promise
  }

  return {
    add(work) {
      count += 1
      work.then(end, end)
    },
    get count() {
      return count
    },
    async drained(limitMs) {
      const limit = Promise.withResolvers<void>()
      const timer = setTimeout(limit.resolve, limitMs)
      await Promise.race([settled(), limit.promise])
      clearTimeout(timer)
      return count
    },
  }
}
