import { LeaseLost } from '../work/steps.ts'

/** It's unknown whether a step was done. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  constructor(options?: ErrorOptions) {
    super('It’s unknown whether the request was carried out.', options)
  }
}

/** The step was done, but its process ended before it could show the result, which wasn't stored. */
export class OutcomeLost extends Error {
  override readonly name = 'OutcomeLost'
}

/** The act's records can't be read or written right now. The act resumes later from what was written. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  constructor(cause: unknown) {
    super('The operation will resume when the database is back.', { cause })
  }
}

/** The person couldn't be notified about an act's outcome. That's retried later, without repeating the act. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  constructor(cause: unknown) {
    super('The person could not be notified of the outcome.', { cause })
  }
}

/** Whether the act has no outcome yet and will resume from its records in another process, or later. */
export const willResume = (error: unknown): boolean =>
  error instanceof NotDelivered || error instanceof LeaseLost || error instanceof StoreUnavailable
