/** What went wrong with the store. Callers switch on this, never on message text. */
type StoreErrorKind =
  | 'bad-url'
  | 'unreachable'
  | 'unusable'
  | 'newer'
  | 'former'
  | 'missing-keys'
  | 'bad-keys'
  | 'wrong-key'
  | 'bad-value'

/** The store can't be opened or used as requested. The message says what is wrong and what to do, and contains no secrets. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly kind: StoreErrorKind
  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The workspace was deleted after the request began. Nothing from the request is stored. */
export class WorkspaceDeleted extends Error {
  override readonly name = 'WorkspaceDeleted'
  constructor() {
    super('The workspace was deleted during the request, so nothing was stored.')
  }
}

/** The `code` of a Node, SQLite, or PostgreSQL error ("ENOENT", "28P01"), or "". */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A commit was sent but not answered, so its outcome isn't known yet. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
  constructor(cause: unknown) {
    super('The database didn’t confirm whether it stored the change.', { cause })
  }
}

/** Whether the server rejected the request itself. A broken connection doesn't count. */
export const isServerRejection = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

/** The database didn't answer in time, closed the connection, or can't be reached. It didn't reject the request. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  /** `explained` says what to do, if that's known. */
  constructor(cause: unknown, explained?: string) {
    super(explained ?? 'The database doesn’t respond.', { cause })
  }
}
