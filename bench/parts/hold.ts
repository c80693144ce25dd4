import { closeSync, openSync, readSync } from 'node:fs'

/** How long a piece of work blocks the event loop. */
export interface Hold {
  /** The longest time between two turns of the event loop. */
  longestMs: number
  /** The maximum CPU time of one turn, without waiting for the disk or other programs. Only on Linux. */
  computedMs: number | undefined
  tookMs: number
}

/** Runs the work, and measures each turn of the event loop until it is done. */
export async function measureHold(work: () => Promise<unknown> | unknown): Promise<Hold> {
  using clock = startClock()
  let [longestMs, computedMs] = [0, 0]
  let isDone = false
  let [turnedAt, computedAt] = [performance.now(), clock.computedMs()]
  const measureTurn = (): void => {
    if (isDone) return
    const [now, computed] = [performance.now(), clock.computedMs()]
    longestMs = Math.max(longestMs, now - turnedAt)
    computedMs = Math.max(computedMs, computed - computedAt)
    ;[turnedAt, computedAt] = [now, computed]
    setImmediate(measureTurn)
  }
  await waitForTurn()
  ;[turnedAt, computedAt] = [performance.now(), clock.computedMs()]
  const startedAt = turnedAt
  setImmediate(measureTurn)
  let tookMs: number
  try {
    await work()
    tookMs = performance.now() - startedAt
    // The next turns show whether the end of the work blocked.
    await waitForTurn()
    await waitForTurn()
  } finally {
    isDone = true
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
  return minimumHold(holds)
}

/** Returns the minimum of each value over the rounds. */
export function minimumHold(holds: readonly Hold[]): Hold {
  const minimum = (getValue: (hold: Hold) => number): number => Math.min(...holds.map(getValue))
  const computedMs = minimum((hold) => hold.computedMs ?? Number.NaN)
  return {
    longestMs: minimum((hold) => hold.longestMs),
    computedMs: Number.isNaN(computedMs) ? undefined : computedMs,
    tookMs: minimum((hold) => hold.tookMs),
  }
}

const waitForTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Reads the CPU time of this thread so far. NaN if the system doesn't provide it (proc(5), schedstat). */
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
