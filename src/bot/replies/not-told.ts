import { RecordsAway } from '../../work/act.ts'
import { LeaseLost } from '../../work/held-work.ts'

/** What came of an act could not be told to whoever asked for it: it is told later, and not done again. */
export class NotTold extends Error {
  override readonly name = 'NotTold'
  constructor(cause: unknown) {
    super('What came of it could not be told.', { cause })
  }
}

/** The act goes on elsewhere, or a little later, from what was written down: there is nothing to tell yet. */
export const isForLater = (error: unknown): boolean =>
  error instanceof NotTold || error instanceof LeaseLost || error instanceof RecordsAway
