import { closeSync, openSync, readSync } from 'node:fs'

/** How long a piece of work blocks the event loop. */
export interface BlockingTimes {
  /** The longest iteration of the event loop. */
  longestBlockMs: number
  /** The maximum CPU time of one iteration. Doesn't include waiting for the disk or for other programs. Only on Linux. */
  longestCpuMs: number | undefined
  /** The duration of the whole work. */
  totalMs: number
}

/** Runs the work, and measures each iteration of the event loop until the work is done. */
export async function measureBlocking(work: () => Promise<unknown> | unknown): Promise<BlockingTimes> {
  using clock = openCpuClock()
  let longestBlockMs = 0
  let longestCpuMs = 0
  let isDone = false
  await waitForIteration()
  const startedAt = performance.now()
  let iterationStart = startedAt
  let cpuMsAtStart = clock.cpuMs()
  const measureIteration = (): void => {
    if (isDone) return
    const now = performance.now()
    const cpuMs = clock.cpuMs()
    longestBlockMs = Math.max(longestBlockMs, now - iterationStart)
    longestCpuMs = Math.max(longestCpuMs, cpuMs - cpuMsAtStart)
    iterationStart = now
    cpuMsAtStart = cpuMs
    setImmediate(measureIteration)
  }
  setImmediate(measureIteration)
  let totalMs: number
  try {
    await work()
    totalMs = performance.now() - startedAt
    // Code that runs after the last await of the work may block too, so measure two more iterations.
    await waitForIteration()
    await waitForIteration()
  } finally {
    isDone = true
  }
  return { longestBlockMs, longestCpuMs: Number.isNaN(longestCpuMs) ? undefined : longestCpuMs, totalMs }
}

const waitForIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A clock of the CPU time that this thread has used. Reads NaN if the system has no `schedstat` file (see proc(5)). */
function openCpuClock(): Disposable & { cpuMs(): number } {
  const bytes = Buffer.alloc(64)
  let file: number | undefined
  try {
    file = openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    // Not Linux.
  }
  return {
    cpuMs() {
      if (file === undefined) return Number.NaN
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
    },
    [Symbol.dispose]() {
      if (file !== undefined) closeSync(file)
    },
  }
}
