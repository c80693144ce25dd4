import { ApiError } from '../../api/errors.ts'
import { NotConnected } from '../../bot/context/not-connected.ts'
import type { PollFailure } from '../../domain/watching/outage.ts'
import { UserError } from '../../errors.ts'

/** A service that cannot be asked for want of an address or a token is not connected; whatever else failed is out of reach. */
export function failureOf(error: unknown): PollFailure {
  if (error instanceof ApiError) return error.kind === 'unauthorized' ? 'unauthorized' : 'unreachable'
  return error instanceof NotConnected || error instanceof UserError ? 'not-connected' : 'unreachable'
}

export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
