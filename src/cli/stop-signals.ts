/**
 * Two signals within this time count as one: a signal to the process group reaches the program directly, and again through its
 * parent.
 */
const SAME_WISH_MS = 1000

export type StopSignals = ReturnType<typeof hearStopSignals>

/** Handles SIGTERM and SIGINT from now on. Neither ends the process by itself anymore. */
export function hearStopSignals() {
  const first = Promise.withResolvers<NodeJS.Signals>()
  let heardAtMs: number | undefined
  let isHurried = false
  let hurry = (): void => undefined
  const hear = (signal: NodeJS.Signals): void => {
    heardAtMs ??= performance.now()
    first.resolve(signal)
    if (isHurried || performance.now() - heardAtMs < SAME_WISH_MS) return
    isHurried = true
    hurry()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, hear)
  return {
    /** The first signal, even if it arrived before this was called. */
    first: first.promise,
    /** Calls back when another signal arrives. */
    onHurry(callback: () => void): void {
      hurry = callback
      if (isHurried) callback()
    },
  }
}
