/** A command line that would mend the matter, offered as a button. */
export interface SuggestedCommand {
  label: string
  line: string
  /** True for what takes the place of the form that failed; by default the form stays behind it. */
  replaces?: boolean
}

/** A sentence the person who asked can act on: shown as it is, counted in the log without its words. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly offers: readonly SuggestedCommand[]
  constructor(message: string, offers: readonly SuggestedCommand[] = []) {
    super(message)
    this.offers = offers
  }
}

/** A person may not do this here: the rule, and who can lift it. */
export class Refusal extends UserError {
  override readonly name = 'Refusal'
  /** User ids of those who can give the right, maybe none but Slack's own admins; undefined when nobody can. */
  readonly admins: readonly string[] | undefined
  /** What they are named as, e.g. `Who can give it`. */
  readonly lifts: string
  constructor(
    rule: string,
    options: { admins: readonly string[] | undefined; offers: readonly SuggestedCommand[]; lifts?: string },
  ) {
    super(rule, options.offers)
    this.admins = options.admins
    this.lifts = options.lifts ?? 'Who can give it'
  }
}

/** Something to know that is neither an error nor a refusal. The caller adds nothing about what was changed. */
export class Notice extends Error {
  override readonly name: string = 'Notice'
  readonly offers: readonly SuggestedCommand[]
  constructor(message: string, offers: readonly SuggestedCommand[] = []) {
    super(message)
    this.offers = offers
  }
}

/** A question to the person before anything is done; each answer is a button. */
export class Question extends Notice {
  override readonly name = 'Question'
}

/** What is wrong with the answers of a form: field → sentence, shown at the field while the form stays open, or when it comes back. */
export class FieldErrors extends Error {
  override readonly name = 'FieldErrors'
  readonly fields: Readonly<Record<string, string>>
  /** Sentences of the service that are about no field. */
  readonly rest: readonly string[]
  constructor(fields: Readonly<Record<string, string>>, rest: readonly string[] = []) {
    super('Some answers need another look: what the service said stands below them.')
    this.fields = fields
    this.rest = rest
  }
}

/** Why something failed at the bottom, in a word where there is one: `ECONNREFUSED`. */
export function rootOf(error: unknown): string {
  const { cause, code, message } = Object(error) as { cause?: unknown; code?: string; message?: string }
  return cause ? rootOf(cause) : (code ?? message ?? 'no reason given')
}
