import { randomInt } from 'node:crypto'

/** Waits, or until the signal aborts; either way it resolves, and the signal tells which. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) return resolve()
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over, { once: true })
    function over(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
  })

/**
 * How long to wait before the next attempt, in milliseconds: anything from 0 to a bound that doubles with every attempt
 * ("full jitter": https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/, read November 2026),
 * so that many that failed together do not come back together.
 */
export function fullJitterMs(
  attempts: number,
  { baseMs, mostMs = 3_600_000 }: { baseMs: number; mostMs?: number },
): number {
  const bound = Math.min(mostMs, baseMs * 2 ** Math.min(Math.max(attempts - 1, 0), 30))
  return randomInt(Math.max(1, Math.ceil(bound)))
}

/** Runs `work` again and again with a pause in between; after a failure, `onError` gives the pause. */
export function everySoOften(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => number,
): Disposable {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const next = (inMs: number): void => {
    if (isOver) return
    timer = setTimeout(
      () =>
        void work().then(
          () => next(pauseMs),
          (error: unknown) => next(onError(error)),
        ),
      inMs,
    )
    timer.unref()
  }
  next(pauseMs)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
