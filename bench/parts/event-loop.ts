import { closeSync, openSync, readSync } from 'node:fs'

/** The most CPU time of one turn of the event loop during this time, in ms. Doesn't include waiting for the disk or for other programs. */
export async function measureLongestTurn(ms: number): Promise<number> {
  using clock = openCpuClock()
  const end = performance.now() + ms
  let longest = 0
  let before = clock.cpuMs()
  while (performance.now() < end) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = clock.cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  return longest
}

/** A clock of the CPU time that this thread has used (`schedstat`, see proc(5)). Elsewhere than on Linux, of the time that has passed. */
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
      if (file === undefined) return performance.now()
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
    },
    [Symbol.dispose]() {
      if (file !== undefined) closeSync(file)
    },
  }
}
