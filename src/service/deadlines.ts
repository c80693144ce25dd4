export type Deadlines = ReturnType<typeof createDeadlines>
export type Deadline = ReturnType<Deadlines['open']>

const TIME_UP = 'time-up'
const CALLER_GONE = 'caller-gone'

/** The calls in progress, so that all can be aborted together. */
export function createDeadlines() {
  const controllers = new Set<AbortController>()
  let isStopped = false
  return {
    /** Starts the timeout of one call. Its signal is for every request and pause of the call. */
    open(totalMs: number, signal: AbortSignal | undefined) {
      const stop = new AbortController()
      const deadline = performance.now() + totalMs
      const timer = setTimeout(() => stop.abort(TIME_UP), totalMs)
      const cancel = (): void => stop.abort(CALLER_GONE)
      if (isStopped || signal?.aborted) cancel()
      signal?.addEventListener('abort', cancel, { once: true })
      controllers.add(stop)
      return {
        signal: stop.signal,
        /** The remaining milliseconds, 0 if the time is up. */
        remainingMs: (): number => Math.max(0, deadline - performance.now()),
        /** Whether the timeout aborted the call, and not the caller's signal. */
        hasPassed: (): boolean => stop.signal.reason === TIME_UP,
        [Symbol.dispose](): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', cancel)
          controllers.delete(stop)
        },
      }
    },
    /** Aborts every call in progress, and every later one, like the caller's signal. */
    stopAll(): void {
      isStopped = true
      for (const stop of controllers) stop.abort(CALLER_GONE)
    },
  }
}
