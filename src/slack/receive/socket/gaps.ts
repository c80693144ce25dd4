/** Counts the times without any socket, after the first one was open. */
export function createGaps(nowMs: () => number = () => performance.now()) {
  let sinceMs: number | undefined
  let gaps = 0
  let gapMs = 0
  let longestGapMs = 0
  const runningMs = (): number => (sinceMs === undefined ? 0 : nowMs() - sinceMs)
  return {
    begin(): void {
      sinceMs ??= nowMs()
    },
    over(): void {
      if (sinceMs === undefined) return
      gaps += 1
      gapMs += runningMs()
      longestGapMs = Math.max(longestGapMs, runningMs())
      sinceMs = undefined
    },
    /** Includes a gap that is not over. */
    counts: () => ({
      gaps: gaps + (sinceMs === undefined ? 0 : 1),
      gapMs: gapMs + runningMs(),
      longestGapMs: Math.max(longestGapMs, runningMs()),
    }),
  }
}
