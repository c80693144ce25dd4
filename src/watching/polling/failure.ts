import { ApiError } from '../../api/errors.ts'
import { NotConnected } from '../../bot/context/not-connected.ts'
import { BLIND_AFTER_MS } from '../../domain/watching/blindness.ts'
import type { PollFailure } from '../../domain/watching/outage.ts'
import { UserError } from '../../errors.ts'

/** Without an address or a token the service is not connected; after any error but a refused token it is unreachable. */
export function failureOf(error: unknown): PollFailure {
  if (error instanceof ApiError) return error.kind === 'unauthorized' ? 'unauthorized' : 'unreachable'
  return error instanceof NotConnected || error instanceof UserError ? 'not-connected' : 'unreachable'
}

/** Half the time after which people are told that nothing can be seen. */
const MOST_ASKED_MS = BLIND_AFTER_MS / 2

/** How long the service asks for a pause; cut, because people must be told when it lasts. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, MOST_ASKED_MS) : 0
