import { fullJitterMs, type ObserveCall, pause } from '@signalman/runtime'
import type { Deadline, Deadlines } from './deadlines.ts'
import { type Decompressed, decompress } from './decompress.ts'
import type { ApiError } from './errors.ts'
import type { Redact } from './redact.ts'
import { type CallDescription, errorFromBody, errorFromFault, errorFromResponse } from './response-errors.ts'
import {
  type Method,
  type RequestCaller,
  type Transport,
  TransportFault,
  type TransportResponse,
} from './transport.ts'

export interface HttpCall {
  method: Method
  /** The path for errors and logs, without the prefix and the query. */
  path: string
  /** The path with the names of its IDs. */
  route: string
  /** The whole path with its query, as it is sent. */
  target: string
  body?: string | undefined
  accept?: string
  maxBytes?: number
}

type Outcome = { answer: TransportResponse } | { error: ApiError; isRetryable: boolean }

/** Statuses of a GET, PUT, or DELETE that a retry may fix. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The token of a call. */
export interface Sender extends RequestCaller {
  origin: string
  token: string
  redact: Redact
}

/** Shared by all calls. */
export interface SendingResources {
  transport: Transport
  deadlines: Deadlines
  retry: RetryPolicy
  /** The timeout of one call in milliseconds, including retries and pauses. */
  totalMs: number
  /** Maximum size of a decompressed JSON response in bytes. */
  maxBytes: number
  onCall?: ObserveCall | undefined
}

/** One call in progress. */
interface RunningCall {
  resources: SendingResources
  sender: Sender
  call: HttpCall
  description: CallDescription
  deadline: Deadline
}

/** Sends a call, and retries temporary errors. One timeout applies to all attempts together. Throws ApiError. */
export async function sendWithRetries(
  { resources, sender, call, description }: Omit<RunningCall, 'deadline'>,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  using deadline = resources.deadlines.open(resources.totalMs, signal)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendObserved({ resources, sender, call, description, deadline }, attempt)
    if ('answer' in outcome) return outcome.answer
    const { error, isRetryable } = outcome
    // An earlier attempt deleted it, but its response was lost.
    if (call.method === 'DELETE' && description.mayHaveHappenedEarlier && error.kind === 'not-found')
      return EMPTY_RESPONSE
    description.mayHaveHappenedEarlier ||= error.mayHaveHappened
    const ms = (error.retryAfterSeconds ?? 0) * 1000 + fullJitterMs(attempt, resources.retry)
    if (!isRetryable || attempt >= resources.retry.attempts || ms >= deadline.remainingMs()) throw error
    await pause(ms, deadline.signal)
  }
}

/** Sends one request, and reports it to `onCall`. */
async function sendObserved(sending: RunningCall, attempt: number): Promise<Outcome> {
  const { method, path } = sending.description
  const since = performance.now()
  const outcome = await sendOnce(sending)
  const error = 'error' in outcome ? outcome.error : undefined
  sending.resources.onCall?.({
    to: 'service',
    method,
    path,
    route: sending.call.route,
    outcome: error?.kind ?? 'ok',
    status: 'answer' in outcome ? outcome.answer.status : outcome.error.status,
    attempt,
    ms: performance.now() - since,
  })
  return outcome
}

async function sendOnce({ resources, sender, call, description, deadline }: RunningCall): Promise<Outcome> {
  const { token, redact: _, ...requestCaller } = sender
  const { method, target: path, body, maxBytes } = call
  try {
    const answer = await resources.transport.exchange(
      { ...requestCaller, method, path, headers: buildHeaders(token, call), body, maxBytes },
      deadline.signal,
    )
    return await toOutcome(answer, description, maxBytes ?? resources.maxBytes)
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
    const isTemporary = error.reason === 'network' || error.reason === 'timeout'
    return {
      error: errorFromFault(error, description, deadline.hasPassed()),
      isRetryable: isTemporary && (method !== 'POST' || !error.mayHaveBeenSent),
    }
  }
}

async function toOutcome(
  answer: TransportResponse,
  description: CallDescription,
  maxBytes: number,
): Promise<Outcome> {
  const encoding = answer.headers['content-encoding']
  const decompressed: Decompressed = encoding ? await decompress(answer.bytes, encoding, maxBytes) : answer
  if (answer.status < 200 || answer.status > 299) {
    const text = decompressed.bytes?.toString() ?? ''
    const isRetryable = description.method !== 'POST' && TEMPORARY_STATUSES.has(answer.status)
    return { error: errorFromResponse(answer, text, description), isRetryable }
  }
  if (decompressed.bytes) return { answer: { ...answer, bytes: decompressed.bytes } }
  return { error: errorFromBody(decompressed.fault, answer.status, description), isRetryable: false }
}

const EMPTY_RESPONSE: TransportResponse = { status: 200, headers: {}, bytes: Buffer.alloc(0) }

/** Accepts other types too, because the response to an order is a JSON:API document, which has its own media type. */
const ACCEPT = 'application/json, */*;q=0.5'

function buildHeaders(token: string, { body, accept = ACCEPT }: HttpCall): Record<string, string> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'signalman',
  }
  return body !== undefined ? { ...headers, 'content-type': 'application/json' } : headers
}

export interface RetryPolicy {
  /** Maximum number of requests per call, including the first. */
  attempts: number
  /** Upper bound of the first random pause; doubles with each further one. */
  baseMs: number
  /** Upper bound of any random pause. */
  maxMs: number
}
