import type { PollFailure } from './outage.ts'

/** The service may be out of reach for so long before people are told that nothing can be seen. */
export const BLIND_AFTER_MS = 5 * 60_000

/** Whether polls that have failed for so long are told as blindness: a token that no longer works does not mend by itself. */
export const isBlind = (failure: PollFailure, lastedMs: number): boolean =>
  failure !== 'unreachable' || lastedMs >= BLIND_AFTER_MS
