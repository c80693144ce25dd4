import type { IncomingHttpHeaders } from 'node:http'
import { createShares, type Shares, type SlotShare, WaitAborted } from '@signalman/runtime'
import { type Dispatcher, Pool } from 'undici'
import { SERVICE_LIMITS } from './limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Who a request is for, which decides whose share of the connections it uses. */
export interface RequestCaller {
  caller: string
  /** The person that the request is for, if any. */
  person?: string | undefined
  /** Polls have their own connections. */
  isPoll?: boolean | undefined
}

/** A request to send. `path` starts with a slash and includes the query. */
export interface TransportRequest extends RequestCaller {
  origin: string
  method: Method
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** Maximum size of this response in bytes, if it isn't the default. */
  maxBytes?: number | undefined
}

/** A complete response. Its bytes may still be compressed. */
export interface TransportResponse {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

export type TransportFaultReason = 'stopped' | 'timeout' | 'network' | 'untrusted' | 'too-large' | 'garbled'

/**
 * Thrown if no complete response arrives. Contains the name, code, and message of undici's error, but nothing from the request,
 * which contains the token.
 */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  readonly reason: TransportFaultReason
  /** Whether a byte of the request may have been sent. */
  readonly mayHaveBeenSent: boolean
  /** The status, if at least the headers of a response arrived. */
  readonly status: number | undefined
  readonly origin: { name: string; code: string; message: string }

  constructor(
    reason: TransportFaultReason,
    mayHaveBeenSent: boolean,
    status: number | undefined,
    origin: TransportFault['origin'],
  ) {
    super(origin.message)
    this.reason = reason
    this.mayHaveBeenSent = mayHaveBeenSent
    this.status = status
    this.origin = origin
  }
}

export interface TransportOptions {
  connectMs: number
  headersMs: number
  bodyMs: number
  /** Maximum size of a response in bytes, unless the request sets its own. */
  maxBytes: number
  /** Connections to one origin for people, which is also the number of concurrent requests. Further requests wait. */
  connections: number
  /** How many connections one caller's people may use, evaluated each time one is assigned. */
  connectionsPerCaller: () => number
}

export type Transport = ReturnType<typeof createTransport>

/** Sends every request to the service, over two connection pools per origin: one for all people, one for all polls. */
export function createTransport(options: TransportOptions) {
  const pools = new Map<string, { pool: Pool; shares: Shares }>()
  const getPool = (origin: string, isPoll = false): { pool: Pool; shares: Shares } => {
    const name = `${isPoll} ${origin}`
    const existing = pools.get(name)
    if (existing) return existing
    const connections = isPoll ? SERVICE_LIMITS.pollConnections : options.connections
    const pool = new Pool(origin, {
      connections,
      connectTimeout: options.connectMs,
      headersTimeout: options.headersMs,
      bodyTimeout: options.bodyMs,
      // One request at a time per connection, so that a slow response doesn't delay others and it's known whether a request was sent.
      pipelining: 1,
      allowH2: false,
    })
    const created = { pool, shares: createShares(connections) }
    pools.set(name, created)
    return created
  }
  return {
    /** Sends once and waits for the whole response, of any status. Throws TransportFault. */
    async exchange(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
      const { origin, isPoll, method, path, headers, body = null, maxBytes = options.maxBytes } = request
      const { pool, shares } = getPool(origin, isPoll)
      try {
        return await shares.run(listShares(request, options), signal, () => {
          const { handler, answer } = receiveResponse(maxBytes, signal)
          if (!signal.aborted) pool.dispatch({ method, path, headers, body }, handler)
          return answer
        })
      } catch (error) {
        if (!(error instanceof WaitAborted)) throw error
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

/** One caller can't use all connections, so a workspace whose calls hang doesn't stop the others. Polls have their own pool. */
const listShares = (
  { caller, isPoll }: TransportRequest,
  { connectionsPerCaller }: TransportOptions,
): SlotShare[] => [
  { name: caller, max: () => Math.max(1, Math.floor(connectionsPerCaller() / (isPoll ? 4 : 1))) },
]

const STOPPED = { name: 'Stopped', code: '', message: 'the request was cancelled' }

/**
 * Receives one response. This uses undici's dispatch handler, because only that reports when the request may have been sent
 * (`onRequestStart`), which decides whether a POST may be repeated.
 */
function receiveResponse(
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
  function abortRequest(): void {
    if (controller && !controller.aborted) controller.abort(new Error('cancelled'))
  }
  function stop(): void {
    fail('stopped', STOPPED)
    abortRequest()
  }
  function failTooLarge(): void {
    const message = `the response is larger than ${maxBytes} bytes`
    fail('too-large', { name: 'TooLarge', code: '', message })
    abortRequest()
  }

  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Throw instead of aborting: a request that was cancelled in the queue must not close the idle connection it gets.
      if (isSettled) throw new Error('cancelled before it was sent')
      // The caller decides whether to retry, never the transport.
      if (controller) throw new Error('the connection was lost')
      controller = started
    },
    onResponseStart(_, code, head) {
      if (code < 200) return
      status = code
      headers = head
      if (Number(headers['content-length']) > maxBytes) failTooLarge()
    },
    onResponseData(_, chunk) {
      size += chunk.length
      if (size > maxBytes) failTooLarge()
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
      fail(name === 'HTTPParserError' ? 'garbled' : toReason(code), { name, code, message })
    },
  }
  return { handler, answer }
}

function toReason(code: string): TransportFaultReason {
  if (code.endsWith('_TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'garbled'
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code) ? 'untrusted' : 'network'
}
