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

export type ApiErrorDetails = Partial<Omit<ApiError, keyof Error | 'kind'>>

/** The error of every failed call to the service. `message` is for the log, `serviceMessages` are for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: ApiErrorKind
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined
  /** The service's own explanation in plain text: at most 10 sentences of at most 300 characters each. */
  readonly serviceMessages: readonly string[] = []
  /** What keeps Signalman from the service, in a sentence for people, if that is known. */
  readonly obstacle: string | undefined
  /** For a write: it was sent, and no response rejected it. Repeating it may do it twice. */
  readonly mayHaveHappened: boolean = false
  /** For a write: the service has answered every request of it, so it can't take effect later. */
  readonly isAnswered: boolean = false
  /** Why the connection failed: a code of Node, OpenSSL, or undici, which `findConnectionCode` reads. */
  readonly code: string | undefined
  /** How long the service asked callers to wait. */
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ApiErrorKind, message: string, details: ApiErrorDetails = {}) {
    super(message)
    this.kind = kind
    Object.assign(this, details)
  }
}

/** Whether the service says that what was asked for doesn't exist. */
export const isNotFound = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'not-found'
