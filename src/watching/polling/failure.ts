import { ApiError } from '../../api/errors.ts'
import { NotConnected } from '../../bot/context/not-connected.ts'
import { BLIND_AFTER_MS } from '../../domain/watching/blindness.ts'
import type { PollFailure } from '../../domain/watching/outage.ts'
import { UserError } from '../../errors.ts'

/** A service that cannot be asked for want of an address or a token is not connected; whatever else failed is out of reach. */
export function failureOf(error: unknown): PollFailure {
  if (error instanceof ApiError) return error.kind === 'unauthorized' ? 'unauthorized' : 'unreachable'
  return error instanceof NotConnected || error instanceof UserError ? 'not-connected' : 'unreachable'
}

/** Twice as often as is needed to see in time that nothing can be seen. */
const MOST_ASKED_MS = BLIND_AFTER_MS / 2

/** How long the service asked to be left alone, as far as watching may wait: whoever watches is told of a longer silence. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, MOST_ASKED_MS) : 0
