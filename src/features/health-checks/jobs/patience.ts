import { pause } from '@signalman/runtime'

/** How long to bear with a service that is down or limits requests, for several calls at once. */
export type Patience = ReturnType<typeof createPatience>

const MOST_PAUSES = 6
const FIRST_PAUSE_MS = 200
const MOST_PAUSE_MS = 60_000

export function createPatience(signal: AbortSignal) {
  let pauses = 0
  let until = 0
  let because: string | undefined
  return {
    /** Until the present pause is over. Never rejects. */
    wait: (): Promise<void> => pause(until - performance.now(), signal),
    /** A call failed: the next pause is twice as long, or as long as the service asked for. */
    lose(retryAfterSeconds: number | undefined, problem: string | undefined): void {
      because = problem
      // Calls that were under way together fail for one reason.
      if (performance.now() < until) return
      const ms = retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** pauses : retryAfterSeconds * 1000
      until = performance.now() + Math.min(ms, MOST_PAUSE_MS)
      pauses += 1
    },
    /** A call was answered. */
    renew(): void {
      pauses = 0
      because = undefined
    },
    /** The service refused something, and what came of it has to be looked up. */
    note(problem: string): void {
      because = problem
    },
    /** Why the last call failed, in words. */
    because: (): string | undefined => because,
    /** So many pauses in a row didn't help that another one won't. */
    isGone: (): boolean => pauses >= MOST_PAUSES,
  }
}
