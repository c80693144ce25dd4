/** Everything that can go wrong with a call. Callers switch on it, never on the message. */
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
  /** The HTTP status, if there was a response. */
  status?: number | undefined
  /** The service's own explanation in plain text: at most 10 sentences of at most 300 characters each. */
  serviceMessages?: readonly string[]
  /** The service's own error codes, such as BAD_REQUEST: at most 10. */
  codes?: readonly string[]
  mayHaveHappened?: boolean
  /** How long the service asked callers to wait. */
  retryAfterSeconds?: number | undefined
  /** Only a name, a code, and a message, because the transport's own errors may contain the request with its token. */
  cause?: { name: string; code: string; message: string } | undefined
}

/** The error of every failed call to the service. `message` is for the log, `serviceMessages` are for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: ApiErrorKind
  readonly status: number | undefined
  readonly serviceMessages: readonly string[]
  readonly codes: readonly string[]
  /** For a write: it was sent, and no response rejected it. Repeating it may do it twice. */
  readonly mayHaveHappened: boolean
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ApiErrorKind, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause && { cause: details.cause })
    this.kind = kind
    this.status = details.status
    this.serviceMessages = details.serviceMessages ?? []
    this.codes = details.codes ?? []
    this.mayHaveHappened = details.mayHaveHappened ?? false
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** Whether the service says that what was asked for doesn't exist. */
export const isNotFound = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'not-found'
