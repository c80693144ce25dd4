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
  /** For errors and logs: without the prefix, the query and whatever else may be private. */
  path: string
  /** The path with names for its ids. */
  route: string
  /** What goes out: the whole path with its query. */
  target: string
  body?: string | undefined
  accept?: string
  maxBytes?: number
}

type Outcome = { answer: TransportResponse } | { error: ApiError; again: boolean }

/** Statuses of a GET, PUT or DELETE that a later attempt may not meet again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** In whose name calls go out, and where to. */
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
  /** Milliseconds that one call may take, its repetitions and pauses included. */
  totalMs: number
  /** Most bytes of one JSON answer once unpacked. */
  maxBytes: number
  onCall?: ObserveCall | undefined
}

/** One call that is under way. */
interface Sending {
  resources: SendingResources
  sender: Sender
  call: HttpCall
  about: CallDescription
  deadline: Deadline
}

/** Sends a call, and again on faults that may pass, within one time for all of it. Throws ApiError. */
export async function sendWithRetries(
  { resources, sender, call, about }: Omit<Sending, 'deadline'>,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  using deadline = resources.deadlines.open(resources.totalMs, signal)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await timed({ resources, sender, call, about, deadline }, attempt)
    if ('answer' in outcome) return outcome.answer
    const { error, again } = outcome
    // Gone because an earlier attempt, whose answer was lost, removed it.
    if (call.method === 'DELETE' && about.earlier && error.kind === 'not-found') return NOTHING
    about.earlier ||= error.mayHaveHappened
    const ms = (error.retryAfterSeconds ?? 0) * 1000 + fullJitterMs(attempt, resources.retry)
    if (!again || attempt >= resources.retry.attempts || ms >= deadline.left()) throw error
    await pause(ms, deadline.signal)
  }
}

/** One request as a span, told of to whoever wants to know. */
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
      { ...from, method, path, headers: headersOf(token, call), body, maxBytes },
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
    const again = about.method !== 'POST' && PASSING.has(answer.status)
    return { error: errorOfAnswer(answer, text, about), again }
  }
  if (unpacked.bytes) return { answer: { ...answer, bytes: unpacked.bytes } }
  return { error: errorOfBody(unpacked.fault, answer.status, about), again: false }
}

const NOTHING: TransportResponse = { status: 200, headers: {}, bytes: Buffer.alloc(0) }

/** Orders are answered as a JSON:API document, whose media type is another. */
const ACCEPT = 'application/json, */*;q=0.5'

function headersOf(token: string, { body, accept = ACCEPT }: HttpCall): Record<string, string> {
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

/** The plain bytes, or what is wrong with the packed ones. */
type Decoded = { bytes: Buffer; fault?: undefined } | { bytes?: undefined; fault: string }

/**
 * Undoes the content encoding of an answer. None was asked for, but a proxy may compress all the same: decoding stops
 * at `maxBytes`, so that a small answer cannot become a large one.
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
  /** Most requests for one call, the first included. */
  attempts: number
  /** Upper end of the first random pause; it doubles with each further one. */
  baseMs: number
  /** Upper end of any random pause. */
  mostMs: number
}

export type Deadlines = ReturnType<typeof createDeadlines>
type Deadline = ReturnType<Deadlines['open']>

const SPENT = 'spent'
const LEFT = 'left'

/** The calls under way, so that all of them can be ended at once. */
export function createDeadlines() {
  const live = new Set<AbortController>()
  let stopped = false
  return {
    /** What one call may take: a signal that every request and pause of it obeys, until it is disposed of. */
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
        /** Whether it was the time that ran out, and not the caller who left. */
        hasPassed: (): boolean => stop.signal.reason === SPENT,
        [Symbol.dispose](): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          live.delete(stop)
        },
      }
    },
    /** Ends every open deadline as if its caller had left, and each later one as it is opened. */
    stopAll(): void {
      stopped = true
      for (const stop of live) stop.abort(LEFT)
    },
  }
}
