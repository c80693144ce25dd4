/** What went wrong with the store as a whole; callers switch on this, never on message text. */
type StoreErrorKind =
  | 'bad-url'
  | 'unreachable'
  | 'unusable'
  | 'newer'
  | 'missing-keys'
  | 'bad-keys'
  | 'wrong-key'
  | 'missing-workspace-keys'
  | 'tampered'
  | 'bad-value'
  | 'not-empty'
  | 'unwritable-journal'

/** The store cannot be opened or used as asked. The message names the fault and the mend, and holds no secret. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly kind: StoreErrorKind
  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The workspace was deleted after the request began: nothing of the request is stored. */
export class WorkspaceForgotten extends Error {
  override readonly name = 'WorkspaceForgotten'
  constructor() {
    super('The workspace was deleted meanwhile: nothing was stored.')
  }
}

/** The `code` of a Node, SQLite or PostgreSQL error ("ENOENT", "28P01"), or "" where there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A commit was sent and not answered: nobody can tell yet whether it was made. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
  constructor(cause: unknown) {
    super('The database did not say whether it has stored it.', { cause })
  }
}

/** Whether the server itself says that it did not carry something out: a connection that broke says nothing of the kind. */
export const isServersNo = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

/** The database did not answer in time, cut the connection or cannot be reached: it was not it that refused what was asked. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  constructor(cause: unknown) {
    super('The database does not answer.', { cause })
  }
}
