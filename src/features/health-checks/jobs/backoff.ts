import { pause } from '@signalman/runtime'

/** Backoff that concurrent calls share while the service is down or rate limits them. */
export type Backoff = ReturnType<typeof createBackoff>

const MAX_PAUSES = 6
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 60_000

/** With `maxPauses` 0, the first failure is final, because someone is waiting in front of a window. */
export function createBackoff(signal: AbortSignal, maxPauses = MAX_PAUSES) {
  let pauses = 0
  let until = 0
  let lastProblem: string | undefined
  return {
    /** Waits until the current pause ends. Never rejects. */
    wait: (): Promise<void> => pause(until - performance.now(), signal),
    /** Records a failed call: the next pause is twice as long, or as long as the service asked for. */
    fail(retryAfterSeconds: number | undefined, problem: string | undefined): void {
      lastProblem = problem
      // Concurrent calls fail for the same reason, so they count once.
      if (performance.now() < until) return
      const ms = retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** pauses : retryAfterSeconds * 1000
      until = performance.now() + Math.min(ms, MAX_PAUSE_MS)
      pauses += 1
    },
    /** Records that the service answered, so the next pause is short again. */
    reset(): void {
      pauses = 0
      lastProblem = undefined
    },
    /** Sets the problem to report, without a pause. For a refused step whose outcome must be looked up. */
    note(problem: string): void {
      lastProblem = problem
    },
    lastProblem: (): string | undefined => lastProblem,
    /** True after too many pauses in a row. */
    isExhausted: (): boolean => pauses > 0 && pauses >= maxPauses,
  }
}
