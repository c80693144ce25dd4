import type { IncomingHttpHeaders } from 'node:http'
import { createShares, GaveUp, recordWait, type Shares, type SlotShare } from '@signalman/runtime'
import { type Dispatcher, Pool } from 'undici'
import { SERVICE_LIMITS } from './limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Whose share of the connections a request uses. */
export interface RequestCaller {
  caller: string
  /** For one of the caller's people; for nobody in particular unless given. */
  person?: string | undefined
  /** True for a poll, which has connections of its own. */
  isPoll?: boolean | undefined
}

/** One request as it goes out: `path` starts with a slash and holds the query. */
export interface TransportRequest extends RequestCaller {
  origin: string
  method: Method
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** Maximum size of this answer in bytes, if it differs from the others. */
  maxBytes?: number | undefined
}

/** One complete answer: bytes still encoded as its headers say. */
export interface TransportResponse {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

export type TransportFaultReason = 'stopped' | 'timeout' | 'network' | 'untrusted' | 'too-large' | 'garbled'

/** No complete answer arrived. Contains nothing of the request or of the transport's error except name, code, and message. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  readonly reason: TransportFaultReason
  /** Whether a byte of the request may have left. */
  readonly sent: boolean
  /** The status, if at least the headers of an answer arrived. */
  readonly status: number | undefined
  readonly origin: { name: string; code: string; message: string }

  constructor(
    reason: TransportFaultReason,
    sent: boolean,
    status: number | undefined,
    origin: TransportFault['origin'],
  ) {
    super(origin.message)
    this.reason = reason
    this.sent = sent
    this.status = status
    this.origin = origin
  }
}

export interface TransportOptions {
  connectMs: number
  headersMs: number
  bodyMs: number
  /** Maximum size of an answer in bytes, counted as they arrive, unless its request has its own. */
  maxBytes: number
  /** Connections to one origin for people, which is also the number of concurrent requests; the others wait. */
  connections: number
  /** How many connections one caller's people may use, evaluated each time one is assigned. */
  connectionsPerCaller: () => number
}

/** Fractions of all of people's connections. If one kind hangs, the others still have some. */
const OF_ALL = { people: 1, read: 5 / 6, act: 2 / 3 } as const
/** Fractions of one caller's share: for reads and acts, and for those of one person. A poll makes four calls at once. */
const OF_CALLER = { read: 3 / 4, act: 1 / 2, poll: 1 / 4 } as const
const OF_PERSON = { read: 1 / 2, act: 1 / 4 } as const

export type Transport = ReturnType<typeof createTransport>

/** The only way out of this folder: two connection pools per origin, one for all people, one for all polls. */
export function createTransport(options: TransportOptions) {
  const pools = new Map<string, { pool: Pool; shares: Shares }>()
  const poolFor = (origin: string, isPoll = false): { pool: Pool; shares: Shares } => {
    const name = `${isPoll} ${origin}`
    const known = pools.get(name)
    if (known) return known
    const connections = isPoll ? SERVICE_LIMITS.pollConnections : options.connections
    const pool = new Pool(origin, {
      connections,
      connectTimeout: options.connectMs,
      headersTimeout: options.headersMs,
      bodyTimeout: options.bodyMs,
      // One request at a time on a connection: an answer that hangs delays nobody else's, and "was it sent" stays certain.
      pipelining: 1,
      allowH2: false,
    })
    const made = { pool, shares: createShares(connections) }
    pools.set(name, made)
    return made
  }
  return {
    /** Sends once and waits for the whole answer, whatever its status. Throws TransportFault. */
    async exchange(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
      const { origin, isPoll, method, path, headers, body = null, maxBytes = options.maxBytes } = request
      const { pool, shares } = poolFor(origin, isPoll)
      const since = new Date()
      try {
        return await shares.run(sharesOf(request, options), signal, () => {
          recordWait(since, 'wait for a connection')
          const { handler, answer } = reception(maxBytes, signal)
          if (!signal.aborted) pool.dispatch({ method, path, headers, body }, handler)
          return answer
        })
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error
        throw new TransportFault('stopped', false, undefined, STOPPED)
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const closing = [...pools.values()].map(({ pool }) => pool.destroy())
      pools.clear()
      await Promise.all(closing)
    },
  }
}

/** The order decides whose turn it is: callers take turns, then the reads and the acts of one, then its people. */
function sharesOf(
  { caller, person, isPoll, method }: TransportRequest,
  { connections, connectionsPerCaller }: TransportOptions,
): SlotShare[] {
  const share = (name: string, whole: () => number, part: number): SlotShare => ({
    name,
    most: () => Math.max(1, Math.floor(whole() * part)),
  })
  const all = (): number => connections
  if (isPoll) return [share(`poll ${caller}`, connectionsPerCaller, OF_CALLER.poll)]
  const use = method === 'GET' ? 'read' : 'act'
  return [
    share('people', all, OF_ALL.people),
    share(`people ${caller}`, connectionsPerCaller, 1),
    share(`${use} ${caller}`, connectionsPerCaller, OF_CALLER[use]),
    ...(person === undefined
      ? []
      : [share(`${use} ${caller} ${person}`, connectionsPerCaller, OF_PERSON[use])]),
    share(use, all, OF_ALL[use]),
  ]
}

const STOPPED = { name: 'Stopped', code: '', message: 'the request was given up' }

/**
 * Gathers one answer. Undici's handler contract is used directly because only it tells the moment from which the
 * request may be on its way (`onRequestStart`), which decides whether a POST may be repeated.
 */
function reception(
  maxBytes: number,
  signal: AbortSignal,
): { handler: Dispatcher.DispatchHandler; answer: Promise<TransportResponse> } {
  const { promise: answer, resolve, reject } = Promise.withResolvers<TransportResponse>()
  const chunks: Buffer[] = []
  let size = 0
  let status: number | undefined
  let headers: IncomingHttpHeaders = {}
  let controller: Dispatcher.DispatchController | undefined
  let isSettled = false

  function settle(): boolean {
    if (isSettled) return false
    isSettled = true
    signal.removeEventListener('abort', stop)
    return true
  }
  function fail(reason: TransportFaultReason, origin: TransportFault['origin']): void {
    if (!settle()) return
    chunks.length = 0
    reject(new TransportFault(reason, controller !== undefined, status, origin))
  }
  function cut(): void {
    if (controller && !controller.aborted) controller.abort(new Error('given up'))
  }
  function stop(): void {
    fail('stopped', STOPPED)
    cut()
  }
  function tooLarge(): void {
    const message = `the answer is larger than ${maxBytes} bytes`
    fail('too-large', { name: 'TooLarge', code: '', message })
    cut()
  }

  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      // Thrown rather than aborted: a request given up in the queue must not cost the idle connection it was offered.
      if (isSettled) throw new Error('given up before it was sent')
      // The caller decides whether to retry, never the transport.
      if (controller) throw new Error('the connection was lost')
      controller = given
    },
    onResponseStart(_, code, head) {
      if (code < 200) return
      status = code
      headers = head
      if (Number(headers['content-length']) > maxBytes) tooLarge()
    },
    onResponseData(_, chunk) {
      size += chunk.length
      if (size > maxBytes) tooLarge()
      else if (!isSettled) chunks.push(chunk)
    },
    onResponseEnd() {
      if (!settle()) return
      const [first] = chunks
      const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks, size)
      resolve({ status: status ?? 0, headers, bytes })
    },
    onResponseError(_, error: Error & { code?: unknown }) {
      const { name, message } = error
      const code = typeof error.code === 'string' ? error.code : ''
      fail(name === 'HTTPParserError' ? 'garbled' : reasonFor(code), { name, code, message })
    },
  }
  return { handler, answer }
}

function reasonFor(code: string): TransportFaultReason {
  if (code.endsWith('_TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'garbled'
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code) ? 'untrusted' : 'network'
}
