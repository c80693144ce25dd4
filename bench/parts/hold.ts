import { closeSync, openSync, readSync } from 'node:fs'

/** How much a piece of work blocks everything else. */
export interface Hold {
  /** The longest time between two turns of the event loop. */
  longestMs: number
  /** The most CPU time in one turn, without waiting for the disk or other programs; only on Linux. */
  computedMs: number | undefined
  tookMs: number
}

/** Runs the work, and measures each turn of the event loop until it is done. */
export async function measureHold(work: () => Promise<unknown> | unknown): Promise<Hold> {
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
  await waitForTurn()
  ;[turnedAt, computedAt] = [performance.now(), clock.computedMs()]
  const startedAt = turnedAt
  setImmediate(turn)
  let tookMs: number
  try {
    await work()
    tookMs = performance.now() - startedAt
    // The next turn shows whether the very end blocked.
    await waitForTurn()
    await waitForTurn()
  } finally {
    isOver = true
  }
  return { longestMs, computedMs: Number.isNaN(computedMs) ? undefined : computedMs, tookMs }
}

/** Repeats the measurement and takes the minimum, because other programs don't disturb every round. */
export async function measureLeastHold(
  rounds: number,
  work: () => Promise<unknown> | unknown,
): Promise<Hold> {
  const holds: Hold[] = []
  for (let round = 0; round < rounds; round += 1) holds.push(await measureHold(work))
  return takeLeast(holds)
}

/** The minimum of each value over the rounds. */
export function takeLeast(holds: readonly Hold[]): Hold {
  const least = (of: (hold: Hold) => number): number => Math.min(...holds.map(of))
  const computedMs = least((hold) => hold.computedMs ?? Number.NaN)
  return {
    longestMs: least((hold) => hold.longestMs),
    computedMs: Number.isNaN(computedMs) ? undefined : computedMs,
    tookMs: least((hold) => hold.tookMs),
  }
}

const waitForTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The CPU time of this thread so far; NaN where the system doesn't provide it (proc(5), schedstat). */
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
