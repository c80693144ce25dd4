import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { createShares, GaveUp, type Shares } from '../domain/fair-shares.ts'
import { waitedSince } from '../tracing/cause.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One request as it goes out: `path` starts with a slash and holds the query. */
export interface TransportRequest {
  /** Whose share of the connections it takes; never sent. */
  caller: string
  origin: string
  method: Method
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** Most bytes of this one answer, where that is not as for the others. */
  maxBytes?: number | undefined
}

/** One whole answer, as it came: bytes still in the content encoding that its headers name. */
export interface TransportResponse {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

export type TransportFaultReason = 'stopped' | 'timeout' | 'network' | 'untrusted' | 'too-large' | 'garbled'

/** No whole answer arrived. Holds nothing of the request or of the transport's own error but name, code and message. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  readonly reason: TransportFaultReason
  /** Whether a byte of the request may have left. */
  readonly sent: boolean
  /** The status, when at least the head of an answer arrived. */
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
  /** Most bytes of one answer, counted as they arrive, unless its request says otherwise. */
  maxBytes: number
  /** Connections to one origin, which is also how many requests to it run at once; the rest wait their turn. */
  connections: number
  /** Connections that one caller may use at once: asked each time that one is given. */
  connectionsPerCaller: () => number
}

export interface Transport extends AsyncDisposable {
  /** Sends once and waits for the whole answer, whatever its status. Throws TransportFault. */
  exchange(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>
}

/** The only way out of this room: one pool of connections per origin, shared by everyone who calls it. */
export function createTransport(options: TransportOptions): Transport {
  const { connections, connectionsPerCaller } = options
  const pools = new Map<string, { pool: Pool; shares: Shares }>()
  const poolFor = (origin: string): { pool: Pool; shares: Shares } => {
    const known = pools.get(origin)
    if (known) return known
    const pool = new Pool(origin, {
      connections,
      connectTimeout: options.connectMs,
      headersTimeout: options.headersMs,
      bodyTimeout: options.bodyMs,
      // One request at a time on a connection: an answer that hangs delays nobody else's, and "was it sent" stays certain.
      pipelining: 1,
      allowH2: false,
    })
    const made = { pool, shares: createShares({ slots: connections, most: connectionsPerCaller }) }
    pools.set(origin, made)
    return made
  }
  const send = (pool: Pool, request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body = null, maxBytes = options.maxBytes } = request
      const reception = new Reception(maxBytes, signal, resolve, reject)
      if (signal.aborted) return
      pool.dispatch({ method, path, headers, body }, reception)
    })
  return {
    async exchange(request, signal) {
      const { pool, shares } = poolFor(request.origin)
      const since = new Date()
      try {
        return await shares.run(request.caller, signal, () => {
          waitedSince(since, 'wait for a connection')
          return send(pool, request, signal)
        })
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error
        throw new TransportFault('stopped', false, undefined, STOPPED)
      }
    },
    async [Symbol.asyncDispose]() {
      const closing = [...pools.values()].map(({ pool }) => pool.destroy())
      pools.clear()
      await Promise.all(closing)
    },
  }
}

const STOPPED = { name: 'Stopped', code: '', message: 'the request was given up' }

/**
 * Gathers one answer. Undici's handler contract is used directly because only it tells the moment from which the
 * request may be on its way (`onRequestStart`), which decides whether a POST may be repeated.
 */
class Reception implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #signal: AbortSignal
  readonly #resolve: (answer: TransportResponse) => void
  readonly #reject: (fault: TransportFault) => void
  readonly #chunks: Buffer[] = []
  #size = 0
  #status: number | undefined
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | undefined
  #settled = false

  constructor(
    maxBytes: number,
    signal: AbortSignal,
    resolve: (answer: TransportResponse) => void,
    reject: (fault: TransportFault) => void,
  ) {
    this.#maxBytes = maxBytes
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    if (signal.aborted) this.#onStop()
    else signal.addEventListener('abort', this.#onStop, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown rather than aborted: given up while it queued, it must not cost the idle connection it was offered.
    if (this.#settled) throw new Error('given up before it was sent')
    // Whether to send again is decided by whoever knows what is sent, never by the transport.
    if (this.#controller) throw new Error('the connection was lost')
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (Number(headers['content-length']) > this.#maxBytes) this.#tooLarge()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) this.#tooLarge()
    else if (!this.#settled) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#size)
    this.#resolve({ status: this.#status ?? 0, headers: this.#headers, bytes })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { code?: unknown }): void {
    const code = typeof error.code === 'string' ? error.code : ''
    this.#fail(error.name === 'HTTPParserError' ? 'garbled' : reasonFor(code), {
      name: error.name,
      code,
      message: error.message,
    })
  }

  readonly #onStop = (): void => {
    this.#fail('stopped', STOPPED)
    this.#cut()
  }

  #tooLarge(): void {
    const message = `the answer is larger than ${this.#maxBytes} bytes`
    this.#fail('too-large', { name: 'TooLarge', code: '', message })
    this.#cut()
  }

  #cut(): void {
    if (this.#controller && !this.#controller.aborted) this.#controller.abort(new Error('given up'))
  }

  #fail(reason: TransportFaultReason, origin: TransportFault['origin']): void {
    if (!this.#settle()) return
    this.#chunks.length = 0
    this.#reject(new TransportFault(reason, this.#controller !== undefined, this.#status, origin))
  }

  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#signal.removeEventListener('abort', this.#onStop)
    return true
  }
}

function reasonFor(code: string): TransportFaultReason {
  if (code.endsWith('_TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'garbled'
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code) ? 'untrusted' : 'network'
}
