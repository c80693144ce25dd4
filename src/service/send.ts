import {
  createAgent,
  createShares,
  describeConnectionFault,
  findConnectionCode,
  freeMemory,
  fullJitterMs,
  limitTime,
  type ObserveCall,
  pause,
} from '@signalman/runtime'
import { buildConnector, Client, type Dispatcher } from 'undici'
import type { Answer, Call, Exchange, Fault } from './call.ts'
import type { ApiError } from './errors.ts'
import { SERVICE_LIMITS } from './limits.ts'
import { faultError, statusError } from './response-errors.ts'

/** Who a call is for, which decides whose share of the connections it uses. */
export interface Caller {
  readonly caller: string
  /** Polls have their own connections. */
  readonly isPoll?: boolean | undefined
  /** Looking for a name has its own, few connections, and gives way if the service limits the rate: other requests matter more. */
  readonly isSearch?: boolean | undefined
}

/** Where a call is sent, with which token, and for whom. */
export interface Sender extends Caller {
  readonly origin: string
  readonly token: string
}

interface RetryPolicy {
  /** Maximum number of requests per call, including the first. */
  attempts: number
  /** Upper bound of the first random pause; doubles with each further one. */
  baseMs: number
  /** Upper bound of any random pause. */
  maxMs: number
}

export interface SendOptions {
  /** `totalMs` is for a whole call, including retries and pauses. */
  timeouts: { connectMs: number; headersMs: number; bodyMs: number; totalMs: number }
  retry: RetryPolicy
  /** Maximum size of a response in bytes, unless the call sets its own. */
  maxBytes: number
  /** How many reads of people may run at the same time, and how many writes. Further ones wait. */
  connections: number
  /** How many of these one caller may use, evaluated each time one is assigned. */
  connectionsPerCaller: () => number
  /** Called for every request, including retries. */
  onCall?: ObserveCall | undefined
}

export type Send = ReturnType<typeof createSend>

/** The outcome of one request. */
type Outcome =
  | { answer: Answer; error?: undefined }
  | { answer?: undefined; error: ApiError; isRetryable: boolean }

/** Statuses of a GET, PUT, or DELETE that a retry may fix. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Creates the function that sends every call to the service. Disposing aborts all calls, also later ones, as 'cancelled'. */
export function createSend(options: SendOptions) {
  const { retry, timeouts } = options
  const { totalMs } = timeouts
  const stop = new AbortController()
  const connections = createConnections(options)

  async function attempt(
    call: Call,
    sender: Sender,
    signal: AbortSignal,
    wasLost: boolean,
  ): Promise<Outcome> {
    const exchange: Exchange = { wasLost, maySend: false, status: undefined }
    try {
      const received = await connections.run(call, sender, signal, exchange)
      const answer = { ...received, wasLost }
      if (answer.status >= 200 && answer.status <= 299) return { answer }
      const givesWay = sender.isSearch === true && answer.status === 429
      const isRetryable = call.method !== 'POST' && TEMPORARY_STATUSES.has(answer.status) && !givesWay
      return { error: statusError(call, answer), isRetryable }
    } catch (thrown) {
      const fault = findFault(thrown, signal)
      const isTemporary = fault.kind === 'timeout' || fault.kind === 'unavailable'
      const isRetryable = isTemporary && !signal.aborted && (call.method !== 'POST' || !exchange.maySend)
      return { error: faultError(call, fault, exchange), isRetryable }
    }
  }

  /** Sends a call, and retries temporary errors. One time limit is for all attempts together. Returns a 2xx response. Throws ApiError. */
  async function send(call: Call, sender: Sender, callerSignal?: AbortSignal): Promise<Answer> {
    const deadline = performance.now() + totalMs
    using limit = limitTime(totalMs, stop.signal, callerSignal)
    const { signal } = limit
    const { method, path, route } = call
    let wasLost = false
    for (let number = 1; ; number += 1) {
      const since = performance.now()
      const outcome = await attempt(call, sender, signal, wasLost)
      const { answer, error } = outcome
      const ms = performance.now() - since
      const { kind, status } = error ?? { kind: 'ok', status: answer.status }
      options.onCall?.({ to: 'service', method, path, route, outcome: kind, status, attempt: number, ms })
      if (answer) return answer
      // True also if an earlier request was lost.
      wasLost = error.mayHaveHappened
      const pauseMs = (error.retryAfterSeconds ?? 0) * 1000 + fullJitterMs(number, retry)
      if (!outcome.isRetryable || number >= retry.attempts || since + ms + pauseMs >= deadline) throw error
      await pause(pauseMs, signal)
    }
  }

  return Object.assign(send, {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await connections[Symbol.asyncDispose]()
    },
  })
}

/** Accepts other types too, because the response to an order is a JSON:API document, which has its own media type. */
const ACCEPT = 'application/json, */*;q=0.5'

function buildHeaders(token: string, { body, accept = ACCEPT }: Call): Record<string, string> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'signalman',
  }
  return body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
}

/**
 * The connections to the service. Reads share keep-alive connections, one pool for people, one for polls, and one for looking for a name.
 * Each write has its own new connection, so it's known exactly whether a byte of it may have been sent: not before the connection stands.
 */
function createConnections({ timeouts, maxBytes, connections, connectionsPerCaller }: SendOptions) {
  const { connectMs, headersMs, bodyMs } = timeouts
  const settings = { headersTimeout: headersMs, bodyTimeout: bodyMs, connectTimeout: connectMs }
  const createPool = (slots: number) => ({
    shares: createShares(slots),
    // One request at a time per connection, so that a slow response doesn't delay others.
    agent: createAgent({ ...settings, connections: slots, pipelining: 1 }),
  })
  const people = createPool(connections)
  const polls = createPool(SERVICE_LIMITS.pollConnections)
  const searches = createPool(SERVICE_LIMITS.searchConnections)
  // Without an agent, because each write has its own connection.
  const writes = { shares: createShares(connections), agent: undefined }
  const connectDirectly = buildConnector({ timeout: connectMs, allowH2: false })

  function createWriter(exchange: Exchange, signal: AbortSignal): Dispatcher {
    return createAgent({
      ...settings,
      factory: (origin, options: Client.Options) =>
        new Client(origin, {
          ...options,
          // Closes the connection after the request.
          pipelining: 0,
          connect(target, callback) {
            // On another connection, undici would send the request again.
            if (exchange.maySend) return callback(new Error('the connection was lost'), null)
            // A function if there is a proxy.
            const connect = typeof options.connect === 'function' ? options.connect : connectDirectly
            connect(target, (...connected) => {
              // What was given up before isn't sent.
              exchange.maySend = connected[0] === null && !signal.aborted
              callback(...connected)
            })
          },
        }),
    })
  }

  return {
    /** Sends one request when it's the caller's turn. `exchange` says how far it came, also if this throws. */
    async run(
      call: Call,
      { origin, token, caller, isPoll = false, isSearch = false }: Sender,
      signal: AbortSignal,
      exchange: Exchange,
    ): Promise<Omit<Answer, 'wasLost'>> {
      const { method, target: path, body = null } = call
      const request = { origin, method, path, headers: buildHeaders(token, call), body, signal }
      const reads = isSearch ? searches : isPoll ? polls : people
      const { shares, agent } = method === 'GET' ? reads : writes
      // One caller can't use all connections, so a workspace whose calls hang doesn't stop the others.
      const share = {
        name: caller,
        max: () =>
          isSearch
            ? SERVICE_LIMITS.searchConnectionsPerCaller
            : Math.max(1, Math.floor(connectionsPerCaller() / (isPoll ? 4 : 1))),
      }
      return shares.run(share, signal, async () => {
        const dispatcher = agent ?? createWriter(exchange, signal)
        try {
          const response = await dispatcher.request(request)
          exchange.status = response.statusCode
          return await readBody(response, call.maxBytes ?? maxBytes)
        } finally {
          if (!agent) await dispatcher.destroy()
        }
      })
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([people, polls, searches].map(({ agent }) => agent.destroy()))
    },
  }
}

/** Reads a whole response, and stops at `maxBytes`. */
async function readBody({ statusCode: status, headers, body }: Dispatcher.ResponseData, maxBytes: number) {
  const tooLarge = () =>
    Object.assign(new Error(`the response is larger than ${maxBytes} bytes`), { code: 'TOO_LARGE' })
  if (Number(headers['content-length']) > maxBytes) {
    body.on('error', () => undefined).destroy()
    throw tooLarge()
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const [first] = chunks
  if (chunks.length === 1 && first) return { status, headers, bytes: first }
  const bytes = Buffer.concat(chunks, size)
  chunks.forEach(freeMemory)
  return { status, headers, bytes }
}

/** Classifies an error of undici. */
function findFault(thrown: unknown, { aborted, reason }: AbortSignal): Fault {
  if (aborted)
    return {
      kind: reason?.name === 'TimeoutError' ? 'timeout' : 'cancelled',
      message: 'the request was cancelled',
      obstacle: undefined,
    }
  const { name, message } = thrown as Error
  const code = findConnectionCode(thrown)
  const connection = describeConnectionFault(thrown)
  const obstacle = connection?.isInBetween ? `The service ${connection.problem}.` : undefined
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'TOO_LARGE')
    return { kind: 'unreadable', message, obstacle, code }
  const kind = /TIMEDOUT$|_TIMEOUT$/.test(String(code)) ? 'timeout' : 'unavailable'
  return { kind, message, obstacle, code }
}
