import { closeSync, openSync, readSync } from 'node:fs'

export interface TurnWatch {
  /** Stops, and returns the most CPU time that one turn of the event loop took, in ms. Doesn't include waiting for other programs. */
  stop(): number
}

/** Watches the turns of the event loop. Keeps the process busy meanwhile. */
export function watchTurns(): TurnWatch {
  const clock = openCpuClock()
  let longest = 0
  let isWatching = true
  let before = clock.cpuMs()
  const turn = (): void => {
    const now = clock.cpuMs()
    longest = Math.max(longest, now - before)
    before = now
    if (isWatching) setImmediate(turn)
    else clock[Symbol.dispose]()
  }
  setImmediate(turn)
  return {
    stop() {
      isWatching = false
      return longest
    },
  }
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
