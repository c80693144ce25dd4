export interface TurnWatch {
  /** Stops, and returns the most CPU time that one turn of the event loop took, in ms. Doesn't include waiting for other programs. */
  stop(): number
}

/** Watches the turns of the event loop. Keeps the process busy meanwhile. */
export function watchTurns(): TurnWatch {
  let longest = 0
  let isWatching = true
  let before = readCpuMs()
  const turn = (): void => {
    const now = readCpuMs()
    longest = Math.max(longest, now - before)
    before = now
    if (isWatching) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop() {
      isWatching = false
      return longest
    },
  }
}

const readCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
