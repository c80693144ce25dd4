import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import {
  annotate,
  fullJitterMs,
  type ObserveCall,
  pause,
  type SpanAttributes,
  traced,
} from '@signalman/runtime'
import type { ApiError } from './errors.ts'
import type { Hide } from './hide.ts'
import { type CallDescription, errorOfAnswer, errorOfBody, errorOfFault } from './outcome.ts'
import {
  type Method,
  type RequestCaller,
  type Transport,
  TransportFault,
  type TransportResponse,
} from './transport.ts'

export interface HttpCall {
  method: Method
  /** For errors and logs: without the prefix, the query, and anything else that may be private. */
  path: string
  /** The path with the names of its IDs. */
  route: string
  /** What is sent: the whole path with its query. */
  target: string
  body?: string | undefined
  accept?: string
  maxBytes?: number
}

type Outcome = { answer: TransportResponse } | { error: ApiError; again: boolean }

/** Statuses of a GET, PUT, or DELETE that a retry may fix. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whose token a call uses, and where it goes. */
export interface Sender extends RequestCaller {
  origin: string
  /** The same as a span says it. */
  server: SpanAttributes
  token: string
  hide: Hide
}

/** What calls are sent with. */
export interface SendingResources {
  transport: Transport
  deadlines: Deadlines
  retry: RetryPolicy
  /** The timeout of one call in milliseconds, including retries and pauses. */
  totalMs: number
  /** Maximum size of a decompressed JSON answer in bytes. */
  maxBytes: number
  onCall?: ObserveCall | undefined
}

/** One call in progress. */
interface Sending {
  resources: SendingResources
  sender: Sender
  call: HttpCall
  about: CallDescription
  deadline: Deadline
}

/** Sends a call, and retries temporary errors, within one timeout for all of it. Throws ApiError. */
export async function sendWithRetries(
  { resources, sender, call, about }: Omit<Sending, 'deadline'>,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  using deadline = resources.deadlines.open(resources.totalMs, signal)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await timed({ resources, sender, call, about, deadline }, attempt)
    if ('answer' in outcome) return outcome.answer
    const { error, again } = outcome
    // An earlier attempt deleted it, and its answer was lost.
    if (call.method === 'DELETE' && about.earlier && error.kind === 'not-found') return NOTHING
    about.earlier ||= error.mayHaveHappened
    const ms = (error.retryAfterSeconds ?? 0) * 1000 + fullJitterMs(attempt, resources.retry)
    if (!again || attempt >= resources.retry.attempts || ms >= deadline.left()) throw error
    await pause(ms, deadline.signal)
  }
}

/** One request as a span, reported to observers. */
function timed(sending: Sending, attempt: number): Promise<Outcome> {
  const { method, path } = sending.about
  const { route } = sending.call
  const attributes = {
    'http.request.method': method,
    'url.template': route,
    ...sending.sender.server,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  }
  return traced({ name: `${method} ${route}`, kind: 'client', attributes }, async () => {
    const since = performance.now()
    const exchanged = await once(sending)
    const error = 'error' in exchanged ? exchanged.error : undefined
    const status = 'answer' in exchanged ? exchanged.answer.status : exchanged.error.status
    annotate({ 'http.response.status_code': status }, error && String(status ?? error.kind))
    const [outcome, ms] = [error?.kind ?? 'ok', performance.now() - since]
    sending.resources.onCall?.({ to: 'service', method, path, route, outcome, status, attempt, ms })
    return exchanged
  })
}

async function once({ resources, sender, call, about, deadline }: Sending): Promise<Outcome> {
  const { token, server: _, hide: __, ...from } = sender
  const { method, target: path, body, maxBytes } = call
  try {
    const answer = await resources.transport.exchange(
      { ...from, method, path, headers: buildHeaders(token, call), body, maxBytes },
      deadline.signal,
    )
    return await judge(answer, about, maxBytes ?? resources.maxBytes)
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
    const passing = error.reason === 'network' || error.reason === 'timeout'
    return {
      error: errorOfFault(error, about, deadline.hasPassed()),
      again: passing && (method !== 'POST' || !error.sent),
    }
  }
}

async function judge(answer: TransportResponse, about: CallDescription, maxBytes: number): Promise<Outcome> {
  const encoding = answer.headers['content-encoding']
  const unpacked: Decoded = encoding ? await decode(answer.bytes, encoding, maxBytes) : answer
  if (answer.status < 200 || answer.status > 299) {
    const text = unpacked.bytes?.toString() ?? ''
    const again = about.method !== 'POST' && TEMPORARY_STATUSES.has(answer.status)
    return { error: errorOfAnswer(answer, text, about), again }
  }
  if (unpacked.bytes) return { answer: { ...answer, bytes: unpacked.bytes } }
  return { error: errorOfBody(unpacked.fault, answer.status, about), again: false }
}

const NOTHING: TransportResponse = { status: 200, headers: {}, bytes: Buffer.alloc(0) }

/** Orders are answered as a JSON:API document, which has its own media type. */
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

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS: Record<string, Decoder> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** The plain bytes, or what is wrong with the compressed ones. */
type Decoded = { bytes: Buffer; fault?: undefined } | { bytes?: undefined; fault: string }

/**
 * Decompresses an answer. No encoding was requested, but a proxy may compress anyway; decoding stops at `maxBytes`, so that
 * a small answer can't become a large one.
 */
async function decode(bytes: Buffer, encoding: string, maxBytes: number): Promise<Decoded> {
  const names = encoding.toLowerCase().split(',')
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  const [name, ...more] = applied
  if (name === undefined || bytes.length === 0) return { bytes }
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!decoder || more.length > 0) return { fault: 'compressed in a way that was not asked for' }
  try {
    return { bytes: await decoder(bytes, { maxOutputLength: maxBytes }) }
  } catch (error) {
    const tooLarge = error instanceof RangeError
    return { fault: tooLarge ? `larger than ${maxBytes} bytes once unpacked` : 'cannot be unpacked' }
  }
}

export interface RetryPolicy {
  /** Maximum number of requests per call, including the first. */
  attempts: number
  /** Upper bound of the first random pause; doubles with each further one. */
  baseMs: number
  /** Upper bound of any random pause. */
  mostMs: number
}

export type Deadlines = ReturnType<typeof createDeadlines>
type Deadline = ReturnType<Deadlines['open']>

const SPENT = 'spent'
const LEFT = 'left'

/** The calls in progress, so that all can be aborted together. */
export function createDeadlines() {
  const live = new Set<AbortController>()
  let stopped = false
  return {
    /** The time limit of one call: a signal for every request and pause of it, until disposed. */
    open(totalMs: number, signal: AbortSignal | undefined) {
      const stop = new AbortController()
      const deadline = performance.now() + totalMs
      const timer = setTimeout(() => stop.abort(SPENT), totalMs)
      const leave = (): void => stop.abort(LEFT)
      if (stopped || signal?.aborted) leave()
      signal?.addEventListener('abort', leave, { once: true })
      live.add(stop)
      return {
        signal: stop.signal,
        /** Milliseconds left, 0 when it is spent. */
        left: (): number => Math.max(0, deadline - performance.now()),
        /** Whether the time ran out, rather than the caller leaving. */
        hasPassed: (): boolean => stop.signal.reason === SPENT,
        [Symbol.dispose](): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          live.delete(stop)
        },
      }
    },
    /** Aborts every open deadline as if its caller had left, and each later one as it is opened. */
    stopAll(): void {
      stopped = true
      for (const stop of live) stop.abort(LEFT)
    },
  }
}
