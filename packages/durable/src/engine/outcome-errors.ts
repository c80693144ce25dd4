import { LeaseLost } from './held-work.ts'

/** Nobody can tell whether a step was done. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  constructor(options?: ErrorOptions) {
    super('Nobody can tell whether it was carried out.', options)
  }
}

/** The step was done, but its process ended before it could show the result, which was kept nowhere. */
export class OutcomeLost extends Error {
  override readonly name = 'OutcomeLost'
}

/** The act's records cannot be read or written just now: the act continues later, from what was written. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  constructor(cause: unknown) {
    super('The operation will resume when the database is back.', { cause })
  }
}

/** The person couldn’t be notified of an act’s outcome. That is retried later, without repeating the act. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  constructor(cause: unknown) {
    super('The person could not be notified of the outcome.', { cause })
  }
}

/** The act resumes in another process, or later, from its records: there is no outcome yet. */
export const willResume = (error: unknown): boolean =>
  error instanceof NotDelivered || error instanceof LeaseLost || error instanceof StoreUnavailable
