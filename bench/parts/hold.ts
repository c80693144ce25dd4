import { closeSync, openSync, readSync } from 'node:fs'

/** How a piece of work treats everybody else. */
export interface Hold {
  /** The longest time in which the event loop did not turn. */
  longestMs: number
  /** The longest that a turn kept the processor: without the disk, and what other programs took meanwhile. Linux alone tells. */
  computedMs: number | undefined
  tookMs: number
}

/** Runs the work, and looks at each turn of the event loop until it is done. */
export async function holdOf(work: () => Promise<unknown> | unknown): Promise<Hold> {
  using clock = startClock()
  let [longestMs, computedMs] = [0, 0]
  let isOver = false
  let [turnedAt, computedAt] = [performance.now(), clock.computedMs()]
  const turn = (): void => {
    if (isOver) return
    const [now, computed] = [performance.now(), clock.computedMs()]
    longestMs = Math.max(longestMs, now - turnedAt)
    computedMs = Math.max(computedMs, computed - computedAt)
    ;[turnedAt, computedAt] = [now, computed]
    setImmediate(turn)
  }
  await turnOfLoop()
  ;[turnedAt, computedAt] = [performance.now(), clock.computedMs()]
  const startedAt = turnedAt
  setImmediate(turn)
  let tookMs: number
  try {
    await work()
    tookMs = performance.now() - startedAt
    // A hold at the very end is seen by the turn behind it.
    await turnOfLoop()
    await turnOfLoop()
  } finally {
    isOver = true
  }
  return { longestMs, computedMs: Number.isNaN(computedMs) ? undefined : computedMs, tookMs }
}

/** The same several times over. What other programs take of the machine is not in every round: the least counts. */
export async function steadyHoldOf(rounds: number, work: () => Promise<unknown> | unknown): Promise<Hold> {
  const holds: Hold[] = []
  for (let round = 0; round < rounds; round += 1) holds.push(await holdOf(work))
  return steadiest(holds)
}

/** Of some rounds of the same, what each took at least. */
export function steadiest(holds: readonly Hold[]): Hold {
  const least = (of: (hold: Hold) => number): number => Math.min(...holds.map(of))
  const computedMs = least((hold) => hold.computedMs ?? Number.NaN)
  return {
    longestMs: least((hold) => hold.longestMs),
    computedMs: Number.isNaN(computedMs) ? undefined : computedMs,
    tookMs: least((hold) => hold.tookMs),
  }
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What this thread has had of the processor until now; NaN where the system does not say (proc(5), schedstat). */
function startClock(): Disposable & { computedMs(): number } {
  const bytes = Buffer.alloc(64)
  let file: number | undefined
  try {
    file = openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    // Not Linux.
  }
  return {
    computedMs() {
      if (file === undefined) return Number.NaN
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
    },
    [Symbol.dispose]() {
      if (file !== undefined) closeSync(file)
    },
  }
}
