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
export class RecordsAway extends Error {
  override readonly name = 'RecordsAway'
  constructor(cause: unknown) {
    super('The act is gone on with later.', { cause })
  }
}

/** The outcome of an act could not be told to its person: it is told later, and the act is not done again. */
export class NotTold extends Error {
  override readonly name = 'NotTold'
  constructor(cause: unknown) {
    super('What came of it could not be told.', { cause })
  }
}

/** The act continues in another process, or a little later, from what was stored: there is nothing to tell yet. */
export const isForLater = (error: unknown): boolean =>
  error instanceof NotTold || error instanceof LeaseLost || error instanceof RecordsAway
