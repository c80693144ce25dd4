import { ApiError, type ApiErrorKind } from '../../api/errors.ts'
import { FieldErrors, Question, Refusal, UserError } from '../../errors.ts'
import { SealError } from '../../store/store.ts'
import { OutcomeUnknown } from '../../work/outcome-errors.ts'
import { ofUnopened } from '../replies/explain.ts'

/** An error as it is written down: enough to say the same to a person after a crash, and no secret. */
export type Recorded =
  | {
      type: 'api'
      kind: ApiErrorKind
      message: string
      status: number | undefined
      said: readonly string[]
      codes: readonly string[]
      mayHaveHappened: boolean
      retryAfterSeconds: number | undefined
    }
  | { type: 'user' | 'question'; message: string; offers: UserError['offers'] }
  | {
      type: 'refusal'
      message: string
      offers: UserError['offers']
      admins: Refusal['admins']
      lifts: string
    }
  | { type: 'fields'; fields: FieldErrors['fields']; rest: readonly string[] }
  | { type: 'unknown'; cause: Recorded | undefined }
  | { type: 'fault' }

/** An error as it is stored with a step. */
export function record(error: unknown): Recorded {
  if (error instanceof ApiError) {
    const { kind, message, status, said, codes, mayHaveHappened, retryAfterSeconds } = error
    return { type: 'api', kind, message, status, said, codes, mayHaveHappened, retryAfterSeconds }
  }
  if (error instanceof Refusal) {
    const { message, offers, admins, lifts } = error
    return { type: 'refusal', message, offers, admins, lifts }
  }
  if (error instanceof UserError) return { type: 'user', message: error.message, offers: error.offers }
  if (error instanceof SealError) {
    const { happened, next } = ofUnopened(error)
    return { type: 'user', message: `${happened} ${next}`, offers: [] }
  }
  if (error instanceof Question) return { type: 'question', message: error.message, offers: error.offers }
  if (error instanceof FieldErrors) return { type: 'fields', fields: error.fields, rest: error.rest }
  if (error instanceof OutcomeUnknown)
    return { type: 'unknown', cause: error.cause instanceof ApiError ? record(error.cause) : undefined }
  // It may hold anything, and is in the log of the process that met it.
  return { type: 'fault' }
}

/** The error that was stored, so that it is told like the first time. */
export function revive(recorded: Recorded): Error {
  switch (recorded.type) {
    case 'api': {
      const { kind, message, ...details } = recorded
      return new ApiError(kind, message, details)
    }
    case 'refusal':
      return new Refusal(recorded.message, recorded)
    case 'user':
      return new UserError(recorded.message, recorded.offers)
    case 'question':
      return new Question(recorded.message, recorded.offers)
    case 'fields':
      return new FieldErrors(recorded.fields, recorded.rest)
    case 'unknown':
      return new OutcomeUnknown(recorded.cause && { cause: revive(recorded.cause) })
    case 'fault':
      return new Error('The step failed before; the log of that time says why.')
  }
}
