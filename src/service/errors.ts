/** Everything that can go wrong with a call. Callers switch on it, never on message text. */
export type ApiErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rejected'
  | 'rate-limited'
  | 'unavailable'
  | 'timeout'
  | 'unreadable'
  | 'cancelled'

export interface ApiErrorDetails {
  /** HTTP status, when there was an answer. */
  status?: number | undefined
  /** The service's own sentences: plain text, each at most 300 characters, at most 10. */
  said?: readonly string[]
  /** The service's own error codes, such as BAD_REQUEST, as they came, at most 10. */
  codes?: readonly string[]
  mayHaveHappened?: boolean
  /** How long the service asked callers to wait. */
  retryAfterSeconds?: number | undefined
  /** Only a name, a code and a message: the transport's own errors can carry the request with its token. */
  cause?: { name: string; code: string; message: string } | undefined
}

/** Every call of this folder fails with one of these. Its message is for the log, `said` is for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: ApiErrorKind
  readonly status: number | undefined
  readonly said: readonly string[]
  readonly codes: readonly string[]
  /** For a write: it was sent, and no answer rejected it. Repeating it may do it twice. */
  readonly mayHaveHappened: boolean
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ApiErrorKind, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause && { cause: details.cause })
    this.kind = kind
    this.status = details.status
    this.said = details.said ?? []
    this.codes = details.codes ?? []
    this.mayHaveHappened = details.mayHaveHappened ?? false
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
