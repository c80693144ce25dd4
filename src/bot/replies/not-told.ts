/** What came of an act could not be told to whoever asked for it: it is told later, and not done again. */
export class NotTold extends Error {
  override readonly name = 'NotTold'
  constructor(cause: unknown) {
    super('What came of it could not be told.', { cause })
  }
}
