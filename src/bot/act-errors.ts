import {
  type Act,
  OutcomeLost,
  OutcomeUnknown,
  SealError,
  type StepErrors,
  StoreUnavailable,
} from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { ApiError, type ApiErrorDetails, type ApiErrorKind } from '../service/errors.ts'
import { PostOutcomeUnknown } from './posts/post-once.ts'
import { type Explained, explainError, StoredProblem } from './request/explain.ts'

/** How many finished steps an error lists. */
const MAX_NAMED = 5

/** The act isn't resumed, because it was interrupted for too long. */
export class TooLate extends UserError {
  override readonly name = 'TooLate'
  constructor(doneBefore: readonly string[] = []) {
    const doneText = doneBefore.slice(0, MAX_NAMED).join('; ')
    const moreText = doneBefore.length > MAX_NAMED ? ` and ${doneBefore.length - MAX_NAMED} more` : ''
    super(
      doneBefore.length === 0
        ? 'Signalman was interrupted before it could run your request, and too much time has passed since.'
        : `Signalman was interrupted before it could finish your request, and too much time has passed since. Done: ${doneText}${moreText}. The rest wasn’t done.`,
    )
  }
}

/**
 * Finds out what an error means for an act. Errors outside of its steps are retried, the outcome of a step that started may be
 * unknown, and a finished step stays done even if showing the answer fails.
 */
export async function explainActError(act: Act, error: unknown): Promise<unknown> {
  await act.throwIfLost()
  if (act.isRetryable(error)) throw new StoreUnavailable(error)
  if (await act.recordUnknownSteps()) return new OutcomeUnknown({ cause: error })
  return act.hasUnreachedSteps()
    ? new OutcomeLost('An earlier step of the act was done.', { cause: error })
    : error
}

/** The error that reports the outcome of an act whose result couldn't be shown. */
export function errorForUnshownResult(act: Act): unknown {
  const refusals = act.refusals()
  const unknown = refusals.find((error) => error instanceof OutcomeUnknown)
  const done = act.hasUnreachedSteps()
    ? new OutcomeLost('The act was done, but its result could not be shown.')
    : new TooLate()
  return unknown ?? refusals.at(-1) ?? done
}

export const ACT_ERRORS: StepErrors = {
  mayHaveHappened: (error) =>
    error instanceof PostOutcomeUnknown || (error instanceof ApiError && error.mayHaveHappened),
  isAnswered: (error) => error instanceof ApiError && error.isAnswered,
  isFault: (error) => serializeError(error).type === 'fault',
  createNotDoneError(error) {
    if (error instanceof PostOutcomeUnknown)
      return new UserError('Slack rejected the message without giving a reason.')
    if (!(error instanceof ApiError)) return error
    return new ApiError(error.kind, error.message, { ...error, mayHaveHappened: false, isAnswered: false })
  },
  createTooLateError: (doneBefore) => new TooLate(doneBefore),
  serialize: serializeError,
  // `serializeError` below wrote it, so the cast is safe.
  deserialize: (recorded) => deserializeError(recorded as StoredError),
}

/** An error as it is stored: enough to explain it the same way after a crash, without secrets. */
type StoredError =
  /** Callers may still look at what the service answered. */
  | ({ type: 'api'; kind: ApiErrorKind; message: string } & ApiErrorDetails)
  | { type: 'unknown'; cause: StoredError | undefined }
  /** Anything else that was explained to the person. */
  | { type: 'problem'; problem: Explained }
  | { type: 'fault' }

/** An error as it is stored with a step. */
function serializeError(error: unknown): StoredError {
  if (error instanceof ApiError) return { ...error, type: 'api', message: error.message }
  if (error instanceof OutcomeUnknown)
    return {
      type: 'unknown',
      cause: error.cause instanceof ApiError ? serializeError(error.cause) : undefined,
    }
  const problem = explainError(error)
  // An unexpected error isn't stored, because it may contain anything. The process that caught it has logged it.
  const isExpected = !problem.isFault || error instanceof SealError || error instanceof StoredProblem
  return isExpected ? { type: 'problem', problem } : { type: 'fault' }
}

/** Restores a stored error, so that it is explained like the first time. */
function deserializeError(stored: StoredError): Error {
  switch (stored.type) {
    case 'api': {
      const { kind, message, ...details } = stored
      return new ApiError(kind, message, details)
    }
    case 'unknown':
      return new OutcomeUnknown(stored.cause && { cause: deserializeError(stored.cause) })
    case 'problem':
      return new StoredProblem(stored.problem)
    case 'fault':
      return new Error('The step failed before. The log from that time says why.')
  }
}
