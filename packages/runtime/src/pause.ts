import { randomInt } from 'node:crypto'

/** Waits until the time is up or the signal aborts. It resolves in both cases, so check the signal afterwards. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) return resolve()
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
  })

/**
 * Returns how long to wait before the next attempt, in milliseconds: a random time up to a limit that doubles with every attempt
 * ("full jitter": https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/, read November 2026), so that
 * requests that failed together aren't retried together.
 */
export function fullJitterMs(
  attempts: number,
  { baseMs, maxMs = 3_600_000 }: { baseMs: number; maxMs?: number },
): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(attempts - 1, 0), 30))
  return randomInt(Math.max(1, Math.ceil(bound)))
}

/** Runs `work` repeatedly with a pause in between. After a failure, `onError` returns the pause. `failures` counts those in a row. */
export function runPeriodically(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown, failures: number) => number,
): Disposable {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  const scheduleNext = (delayMs: number): void => {
    if (isStopped) return
    timer = setTimeout(
      () =>
        void work().then(
          () => {
            failures = 0
            scheduleNext(pauseMs)
          },
          (error: unknown) => {
            failures += 1
            scheduleNext(onError(error, failures))
          },
        ),
      delayMs,
    )
    timer.unref()
  }
  scheduleNext(pauseMs)
  return {
    [Symbol.dispose]() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
