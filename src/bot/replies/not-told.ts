import { LeaseLost } from '../../work/held-work.ts'
import { RecordsAway } from '../../work/outcome-errors.ts'

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
