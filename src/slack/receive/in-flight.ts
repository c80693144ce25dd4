export interface InFlight {
  add(work: Promise<unknown>): void
  readonly count: number
  /** Waits until nothing runs any more, at most `limitMs`. Resolves with how many are left. */
  drained(limitMs: number): Promise<number>
}

/** Counts work that goes on after its request was answered. */
export function createInFlight(): InFlight {
  let count = 0
  let idle = Promise.withResolvers<void>()

  function end(): void {
    count -= 1
    if (count > 0) return
    idle.resolve()
    idle = Promise.withResolvers()
  }

  /** Work may start more work while it ends, so this looks again until nothing is left. */
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
