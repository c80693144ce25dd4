/** What one call may take: a signal that every request and pause of it obeys, until it is disposed of. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  /** Milliseconds left, 0 when it is spent. */
  left(): number
  /** Whether it was the time that ran out, and not the caller who left. */
  hasPassed(): boolean
}

/** The calls under way, so that all of them can be ended at once. */
export interface Deadlines {
  open(totalMs: number, signal: AbortSignal | undefined): Deadline
  /** Ends every open deadline as if its caller had left, and each later one as it is opened. */
  stopAll(): void
}

const SPENT = 'spent'
const LEFT = 'left'

export function createDeadlines(): Deadlines {
  const live = new Set<AbortController>()
  let stopped = false
  return {
    open(totalMs, signal) {
      const stop = new AbortController()
      const deadline = performance.now() + totalMs
      const timer = setTimeout(() => stop.abort(SPENT), totalMs)
      const leave = (): void => stop.abort(LEFT)
      if (stopped || signal?.aborted) leave()
      signal?.addEventListener('abort', leave, { once: true })
      live.add(stop)
      return {
        signal: stop.signal,
        left: () => Math.max(0, deadline - performance.now()),
        hasPassed: () => stop.signal.reason === SPENT,
        [Symbol.dispose]() {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          live.delete(stop)
        },
      }
    },
    stopAll() {
      stopped = true
      for (const stop of live) stop.abort(LEFT)
    },
  }
}
