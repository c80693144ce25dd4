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

/** The outcome of an act could not be told to its person: it is told later, and the act is not done again. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  constructor(cause: unknown) {
    super('What came of it could not be told.', { cause })
  }
}

/** The act continues in another process, or a little later, from what was stored: there is nothing to tell yet. */
export const willResume = (error: unknown): boolean =>
  error instanceof NotDelivered || error instanceof LeaseLost || error instanceof StoreUnavailable
