/** Two deliveries within this time are one wish: a signal to the group reaches the program and whatever started it, which hands it on. */
const SAME_WISH_MS = 1000

export type StopSignals = ReturnType<typeof hearStopSignals>

/** Hears SIGTERM and SIGINT from now on; none of them ends the process by itself any more. */
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
    /** The first that came, be it before this was asked. */
    first: first.promise,
    /** Calls back once a later one shows that somebody is in a hurry. */
    onHurry(callback: () => void): void {
      hurry = callback
      if (isHurried) callback()
    },
  }
}
