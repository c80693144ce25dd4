import { annotate, type ObserveCall, pause, type SpanAttributes, traced } from '@signalman/runtime'
import type { Deadline } from './deadline.ts'
import { decode } from './decode.ts'
import type { ApiError } from './errors.ts'
import type { ServiceResources } from './http.ts'
import { type CallDescription, errorOfAnswer, errorOfBody, errorOfFault } from './outcome.ts'
import { pauseMs } from './retry-pauses.ts'
import { type Method, type RequestCaller, TransportFault, type TransportResponse } from './transport.ts'

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

/** One request as a span, told of to whoever wants to know. */
function timed(
  onCall: ObserveCall | undefined,
  {
    method,
    path,
    route,
    server,
    attempt,
  }: Pick<HttpCall, 'method' | 'path' | 'route'> & {
    server: SpanAttributes
    attempt: number
  },
  request: () => Promise<Outcome>,
): Promise<Outcome> {
  const attributes = {
    'http.request.method': method,
    'url.template': route,
    ...server,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  }
  return traced({ name: `${method} ${route}`, kind: 'client', attributes }, async () => {
    const since = performance.now()
    const exchanged = await request()
    const error = 'error' in exchanged ? exchanged.error : undefined
    const status = 'answer' in exchanged ? exchanged.answer.status : exchanged.error.status
    annotate({ 'http.response.status_code': status }, error && String(status ?? error.kind))
    const outcome = error?.kind ?? 'ok'
    onCall?.({ to: 'service', method, path, route, outcome, status, attempt, ms: performance.now() - since })
    return exchanged
  })
}

function serverOf(origin: string): SpanAttributes {
  const { hostname, port, protocol } = new URL(origin)
  return {
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
}

/** Sends a call, and again on faults that may pass, within one time for all of it. Throws ApiError. */
export function createAttempts(
  resources: ServiceResources,
  origin: string,
  { token, ...caller }: RequestCaller & { token: string },
) {
  const server = serverOf(origin)

  async function once(call: HttpCall, about: CallDescription, deadline: Deadline): Promise<Outcome> {
    try {
      const answer = await resources.transport.exchange(
        {
          ...caller,
          origin,
          method: call.method,
          path: call.target,
          headers: headersOf(token, call),
          body: call.body,
          maxBytes: call.maxBytes,
        },
        deadline.signal,
      )
      return await judge(answer, about, call.maxBytes ?? resources.maxBytes)
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error
      const passing = error.reason === 'network' || error.reason === 'timeout'
      return {
        error: errorOfFault(error, about, deadline.hasPassed()),
        again: passing && (call.method !== 'POST' || !error.sent),
      }
    }
  }

  async function judge(
    answer: TransportResponse,
    about: CallDescription,
    maxBytes: number,
  ): Promise<Outcome> {
    const unpacked = await decode(answer.bytes, answer.headers['content-encoding'], maxBytes)
    if (answer.status < 200 || answer.status > 299) {
      const text = unpacked.bytes?.toString() ?? ''
      const again = about.method !== 'POST' && PASSING.has(answer.status)
      return { error: errorOfAnswer(answer, text, about), again }
    }
    if (unpacked.bytes) return { answer: { ...answer, bytes: unpacked.bytes } }
    return { error: errorOfBody(unpacked.fault, answer.status, about), again: false }
  }

  return async function persist(
    call: HttpCall,
    about: CallDescription,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    using deadline = resources.deadlines.open(resources.totalMs, signal)
    for (let attempt = 1; ; attempt += 1) {
      const { method, route } = call
      const which = { method, path: about.path, route, server, attempt }
      const outcome = await timed(resources.onCall, which, () => once(call, about, deadline))
      if ('answer' in outcome) return outcome.answer
      const { error, again } = outcome
      // Gone because an earlier attempt, whose answer was lost, removed it.
      if (call.method === 'DELETE' && about.earlier && error.kind === 'not-found') return NOTHING
      about.earlier ||= error.mayHaveHappened
      const ms = pauseMs(resources.retry, attempt, error.retryAfterSeconds, resources.random)
      if (!again || attempt >= resources.retry.attempts || ms >= deadline.left()) throw error
      await pause(ms, deadline.signal)
    }
  }
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
