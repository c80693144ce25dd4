/** A command that would fix the problem, shown as a button. */
export interface SuggestedCommand {
  label: string
  line: string
}

/** An error whose message the person can act on. The message is shown as is, and never logged. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly suggestions: readonly SuggestedCommand[]
  constructor(message: string, suggestions: readonly SuggestedCommand[] = []) {
    super(message)
    this.suggestions = suggestions
  }
}

/** Thrown if the person isn't allowed to do this. Contains the rule, and who can grant the permission. */
export class AccessDenied extends UserError {
  override readonly name = 'AccessDenied'
  /** The IDs of users who can grant the permission. Empty if only Slack's own admins can, undefined if nobody can. */
  readonly admins: readonly string[] | undefined
  /** The label of those users, such as `Who can give it`. */
  readonly adminsLabel: string
  constructor(
    rule: string,
    options: {
      admins: readonly string[] | undefined
      suggestions: readonly SuggestedCommand[]
      adminsLabel?: string
    },
  ) {
    super(rule, options.suggestions)
    this.admins = options.admins
    this.adminsLabel = options.adminsLabel ?? 'Who can give it'
  }
}

/** An answer that is complete in itself. Unlike for a UserError, no sentence is added about whether anything was changed. */
export class Notice extends Error {
  override readonly name: string = 'Notice'
  readonly suggestions: readonly SuggestedCommand[]
  constructor(message: string, suggestions: readonly SuggestedCommand[] = []) {
    super(message)
    this.suggestions = suggestions
  }
}

/** A question to the person before anything is done. Each answer is a button. */
export class Question extends Notice {
  override readonly name = 'Question'
}

/** Validation errors of a form, by field. Each is shown at its field while the form is open or when it's shown again. */
export class FieldErrors extends Error {
  override readonly name = 'FieldErrors'
  readonly fields: Readonly<Record<string, string>>
  constructor(fields: Readonly<Record<string, string>>) {
    super('Some answers are invalid. The messages are below the fields.')
    this.fields = fields
  }
}

/** The root cause of a failure, as a code if there is one, such as `ECONNREFUSED`. */
export function rootCause(error: unknown): string {
  const { cause, code, message } = Object(error) as { cause?: unknown; code?: unknown; message?: string }
  // A DOMException has a numeric code, which says nothing.
  return cause ? rootCause(cause) : (typeof code === 'string' && code) || message || 'no reason given'
}
