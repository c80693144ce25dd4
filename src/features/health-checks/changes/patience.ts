import { pause } from '@signalman/runtime'

/** How long to bear with a service that is down or has had enough, for several calls at once. */
export interface Patience {
  /** Until the present pause is over. Never rejects. */
  wait(): Promise<void>
  /** A call came to nothing: the next pause is twice as long, or as long as the service asked for. */
  lose(retryAfterSeconds: number | undefined): void
  /** A call was answered. */
  renew(): void
  /** So many pauses in a row did not help that there is no point in another one. */
  isGone(): boolean
}

const MOST_PAUSES = 6
const FIRST_PAUSE_MS = 200
const MOST_PAUSE_MS = 60_000

export function createPatience(signal: AbortSignal): Patience {
  let pauses = 0
  let until = 0
  return {
    wait: () => pause(until - performance.now(), signal),
    lose(retryAfterSeconds) {
      // Calls that were under way together are told the same thing once.
      if (performance.now() < until) return
      const ms = retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** pauses : retryAfterSeconds * 1000
      until = performance.now() + Math.min(ms, MOST_PAUSE_MS)
      pauses += 1
    },
    renew() {
      pauses = 0
    },
    isGone: () => pauses >= MOST_PAUSES,
  }
}
