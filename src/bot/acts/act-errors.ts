import { ApiError } from '../../api/errors.ts'
import { UserError } from '../../errors.ts'
import type { ErrorBook } from '../../work/act.ts'
import { PostLost } from '../posts/post-lost.ts'
import { type Recorded, record, revive } from './recorded-error.ts'

const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504])

export const ACT_ERRORS: ErrorBook = {
  mayHaveHappened: (error) =>
    error instanceof PostLost || (error instanceof ApiError && error.mayHaveHappened),
  // Behind a gateway that gave up, the service itself may still be at it.
  isOver: (error) => error instanceof ApiError && error.status !== undefined && !GATEWAY.has(error.status),
  isFault: (error) => record(error).type === 'fault',
  notDone(error) {
    if (error instanceof PostLost)
      return new UserError('Slack did not take the message, and did not say why.')
    if (!(error instanceof ApiError)) return error
    const { kind, message, status, said, codes, retryAfterSeconds } = error
    return new ApiError(kind, message, { status, said, codes, retryAfterSeconds })
  },
  record,
  // Written by `record` above, hence of this type.
  revive: (recorded) => revive(recorded as Recorded),
}
