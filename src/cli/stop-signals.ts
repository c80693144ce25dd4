/**
 * Two signals within this time count as one: a signal to the process group reaches the program directly, and again through its
 * parent.
 */
const SAME_SIGNAL_MS = 1000

export type StopSignals = ReturnType<typeof listenForStopSignals>

const PARENT_CHECK_MS = 500

/** npx doesn't pass signals on: when it's stopped, it leaves its program behind. */
function onParentExit(callback: () => void): void {
  const parentId = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parentId) return
    clearInterval(timer)
    callback()
  }, PARENT_CHECK_MS)
  timer.unref()
}

/** Handles SIGTERM and SIGINT, so that Node no longer exits on them. */
export function listenForStopSignals() {
  const first = Promise.withResolvers<NodeJS.Signals>()
  let receivedAtMs: number | undefined
  let hasSecondSignal = false
  let handleSecondSignal = (): void => undefined
  const handleSignal = (signal: NodeJS.Signals): void => {
    receivedAtMs ??= performance.now()
    first.resolve(signal)
    if (hasSecondSignal || performance.now() - receivedAtMs < SAME_SIGNAL_MS) return
    hasSecondSignal = true
    handleSecondSignal()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, handleSignal)
  if (process.env.npm_command === 'exec') onParentExit(() => handleSignal('SIGTERM'))
  return {
    /** Resolves with the first signal, even if it has already arrived. */
    first: first.promise,
    /** Calls back when another signal arrives, or now if one has already arrived. */
    onSecondSignal(callback: () => void): void {
      handleSecondSignal = callback
      if (hasSecondSignal) callback()
    },
  }
}
