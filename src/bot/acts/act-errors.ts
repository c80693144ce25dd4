import { ApiError } from '../../api/errors.ts'
import { UserError } from '../../errors.ts'
import type { ErrorBook } from '../../work/act.ts'
import { PostOutcomeUnknown } from '../posts/post-outcome-unknown.ts'
import { type Recorded, record, revive } from './recorded-error.ts'

/** Steps that are named to whoever asked for them. */
const MOST_NAMED = 5

/** Nothing is done days after it was asked for. */
export class TooLate extends UserError {
  override readonly name = 'TooLate'
  constructor(doneBefore: readonly string[] = []) {
    const named = doneBefore.slice(0, MOST_NAMED).join('; ')
    const more = doneBefore.length > MOST_NAMED ? ` and ${doneBefore.length - MOST_NAMED} more` : ''
    super(
      doneBefore.length === 0
        ? 'Signalman was interrupted before it could do what you asked for, and too much time has passed since.'
        : `Signalman was interrupted before it could finish what you asked for, and too much time has passed since. It has done: ${named}${more}. It has not done the rest.`,
    )
  }
}

const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504])

export const ACT_ERRORS: ErrorBook = {
  mayHaveHappened: (error) =>
    error instanceof PostOutcomeUnknown || (error instanceof ApiError && error.mayHaveHappened),
  // Behind a gateway that gave up, the service itself may still be at it.
  isOver: (error) => error instanceof ApiError && error.status !== undefined && !GATEWAY.has(error.status),
  isFault: (error) => record(error).type === 'fault',
  notDone(error) {
    if (error instanceof PostOutcomeUnknown)
      return new UserError('Slack did not take the message, and did not say why.')
    if (!(error instanceof ApiError)) return error
    const { kind, message, status, said, codes, retryAfterSeconds } = error
    return new ApiError(kind, message, { status, said, codes, retryAfterSeconds })
  },
  tooLate: (doneBefore) => new TooLate(doneBefore),
  record,
  // Written by `record` above, hence of this type.
  revive: (recorded) => revive(recorded as Recorded),
}
