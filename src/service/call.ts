import type { IncomingHttpHeaders } from 'node:http'
import type { Redact } from './redact.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One call: what is sent, and what its errors and log lines may say about it. */
export interface Call {
  readonly method: Method
  /** The path for errors and logs: without the token, and without the query, so that search texts stay out of logs. */
  readonly path: string
  /** The path with the names of its IDs. */
  readonly route: string
  /** The whole path with its query, as it is sent. */
  readonly target: string
  readonly body?: string | undefined
  readonly accept?: string
  /** The maximum size of the response in bytes, if it isn't the default. */
  readonly maxBytes?: number
  readonly redact: Redact
  /** Whether the response may contain tokens other than the caller's. It isn't redacted, and never quoted. */
  readonly holdsTokens: boolean
}

/** A complete response. */
export interface Answer extends Pick<Exchange, 'wasLost'> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** How far one request came. */
export interface Exchange {
  /** Whether an earlier request of the same call may have taken effect. */
  readonly wasLost: boolean
  /** Whether a byte of the request may have been sent. */
  maySend: boolean
  /** The status, if at least the headers of a response arrived. */
  status: number | undefined
}

/** Why no complete response arrived. */
export interface Fault {
  readonly kind: 'timeout' | 'cancelled' | 'unavailable' | 'unreadable'
  /** Only the text, because undici's own errors may contain the request with its token. */
  readonly message: string
  readonly obstacle: string | undefined
  readonly code?: string | undefined
}
