/** A command line that would mend the matter, offered as a button. */
export interface Offer {
  label: string
  line: string
}

/** A sentence the person who asked can act on: shown as it is, counted in the log without its words. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly offers: readonly Offer[]
  constructor(message: string, offers: readonly Offer[] = []) {
    super(message)
    this.offers = offers
  }
}

/** Something to choose before it can go on: no fault of anyone's, so it is asked without an apology. */
export class Question extends Error {
  override readonly name = 'Question'
  readonly offers: readonly Offer[]
  constructor(message: string, offers: readonly Offer[]) {
    super(message)
    this.offers = offers
  }
}

/** What is wrong with the answers of a form: field → sentence, shown at the field while the form stays open. */
export class FieldErrors extends Error {
  override readonly name = 'FieldErrors'
  readonly fields: Readonly<Record<string, string>>
  constructor(fields: Readonly<Record<string, string>>) {
    super('Some answers need another look.')
    this.fields = fields
  }
}
