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
