import type { ObserveCall } from '../domain/outgoing-call.ts'
import type { Coalescer } from './coalesce.ts'
import type { Deadline, Deadlines } from './deadline.ts'
import { decode } from './decode.ts'
import { ApiError } from './errors.ts'
import { type Unread, UnreadParts } from './fields.ts'
import { hiderOf } from './hide.ts'
import { type CallDescription, errorOfAnswer, errorOfBody, errorOfFault, isAboutTokens } from './outcome.ts'
import type { Turn } from './parse-turns.ts'
import { type Read, type ReadBytes, Unreadable } from './read.ts'
import { pause, pauseMs, type RetryPolicy } from './retry.ts'
import { type Method, type Transport, TransportFault, type TransportResponse } from './transport.ts'
import { isHeavy } from './weight.ts'

/** Query parameters by their names on the wire; undefined ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>

/** How the calls of one set of credentials are made. All of them throw ApiError. */
export interface Http {
  /** Made once for callers who ask for the same at the same time; repeated on faults that may pass. */
  get<T>(
    path: string,
    ask: { read: Read<T>; query?: Query | undefined; signal?: AbortSignal | undefined },
  ): Promise<T>
  /**
   * A resource that an answer named by its whole address, which must lie on the service's own origin: to any other
   * the token never goes, and a redirect is not followed. Repeated and shared like `get`.
   */
  download<T>(address: string, ask: Download<T>): Promise<T>
  /** PUT and DELETE are repeated on faults that may pass; a POST only when nothing of it was sent. */
  send<T>(
    method: Exclude<Method, 'GET'>,
    path: string,
    ask: { read: Read<T>; body?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<T>
}

export interface Download<T> {
  /** Media types for the `accept` header; what comes is checked by `read`. */
  accept: string
  /** Most bytes, on the wire and once unpacked. */
  maxBytes: number
  read: ReadBytes<T>
  signal?: AbortSignal | undefined
}

/** What all credentials of a service share. */
export interface ServiceResources {
  transport: Transport
  coalescer: Coalescer
  deadlines: Deadlines
  turn: Turn
  retry: RetryPolicy
  random: () => number
  /** Milliseconds that one call may take, its repetitions and pauses included. */
  totalMs: number
  /** Most bytes of one JSON answer once unpacked. */
  maxBytes: number
  onCall?: ObserveCall | undefined
  onUnread(unread: Unread, about: Pick<CallDescription, 'method' | 'path'>): void
}

interface Job {
  method: Method
  /** For errors and logs: without the prefix, the query and whatever else may be private. */
  path: string
  /** What goes out: the whole path with its query. */
  target: string
  body?: string | undefined
  accept?: string
  maxBytes?: number
}

type Outcome = { answer: TransportResponse } | { error: ApiError; again: boolean }

/** Tells whoever wants to know of one request. */
async function timed(
  onCall: ObserveCall | undefined,
  { method, path }: CallDescription,
  request: () => Promise<Outcome>,
): Promise<Outcome> {
  const since = performance.now()
  const came = await request()
  const outcome = 'answer' in came ? 'ok' : came.error.kind
  onCall?.({ to: 'service', method, path, outcome, ms: performance.now() - since })
  return came
}

/** Statuses of a GET, PUT or DELETE that a later attempt may not meet again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** `base` is an absolute URL without query; a path prefix in it is kept. The signal ends the wait for every read. */
export function createHttp(
  resources: ServiceResources,
  base: URL,
  token: string,
  ended?: AbortSignal | undefined,
): Http {
  const prefix = base.pathname.replace(/\/+$/, '')
  const scope = `${base.origin}${prefix} ${token}`
  const hide = hiderOf(token)

  async function run<T>(job: Job, read: ReadBytes<T>, signal: AbortSignal | undefined): Promise<T> {
    requireSendable(token)
    const about: CallDescription = { method: job.method, path: hide(job.path), hide, earlier: false }
    const answer = await persist(job, about, signal)
    const unread = new UnreadParts()
    const value = await resources.turn(() => readBody(read, answer, { about, unread }))
    if (unread.count > 0) resources.onUnread(unread, about)
    return value
  }

  async function persist(
    job: Job,
    about: CallDescription,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    using deadline = resources.deadlines.open(resources.totalMs, signal)
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await timed(resources.onCall, about, () => once(job, about, deadline))
      if ('answer' in outcome) return outcome.answer
      const { error, again } = outcome
      // Gone because an earlier attempt, whose answer was lost, removed it.
      if (job.method === 'DELETE' && about.earlier && error.kind === 'not-found') return NOTHING
      about.earlier ||= error.mayHaveHappened
      const ms = pauseMs(resources.retry, attempt, error.retryAfterSeconds, resources.random)
      if (!again || attempt >= resources.retry.attempts || ms >= deadline.left()) throw error
      await pause(ms, deadline.signal)
    }
  }

  async function once(job: Job, about: CallDescription, deadline: Deadline): Promise<Outcome> {
    try {
      const answer = await resources.transport.exchange(
        {
          origin: base.origin,
          method: job.method,
          path: job.target,
          headers: headersOf(token, job),
          body: job.body,
          maxBytes: job.maxBytes,
        },
        deadline.signal,
      )
      return await judge(answer, about, job.maxBytes ?? resources.maxBytes)
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error
      const passing = error.reason === 'network' || error.reason === 'timeout'
      return {
        error: errorOfFault(error, about, deadline.hasPassed()),
        again: passing && (job.method !== 'POST' || !error.sent),
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

  return {
    get(path, { read, query = {}, signal }) {
      const key = path + queryText(query)
      const job = { method: 'GET' as const, path, target: prefix + key }
      return resources.coalescer.share(
        scope,
        key,
        (stop) => run(job, textOf(read), stop),
        either(signal, ended),
      )
    },
    async download(address, { accept, maxBytes, read, signal }) {
      const { pathname, search } = ownAddress(address, base)
      const job = { method: 'GET' as const, path: pathname, target: pathname + search, accept, maxBytes }
      const key = `${accept} ${job.target}`
      return resources.coalescer.share(scope, key, (stop) => run(job, read, stop), either(signal, ended))
    },
    async send(method, path, { read, body, signal }) {
      try {
        return await run({ method, path, target: prefix + path, body }, textOf(read), signal)
      } finally {
        resources.coalescer.close(scope)
      }
    },
  }
}

const either = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other)

/** Which of the tokens is this one is for whoever asked for them to say; nobody is shown one. */
const asItIs = (text: string): string => text

const NOTHING: TransportResponse = { status: 200, headers: {}, bytes: Buffer.alloc(0) }

/** Orders are answered as a JSON:API document, whose media type is another. */
const ACCEPT = 'application/json, */*;q=0.5'

function headersOf(token: string, { body, accept = ACCEPT }: Job): Record<string, string> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'signalman',
  }
  return body !== undefined ? { ...headers, 'content-type': 'application/json' } : headers
}

function requireSendable(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  const fault = 'the token is empty or holds characters that no header can carry'
  throw new ApiError('unauthorized', `${fault}, so nothing was sent: store the token again`)
}

function queryText(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, String(value))
  }
  return params.size === 0 ? '' : `?${params}`
}

/** An address of the service itself; nothing in it may pretend to be one. */
function ownAddress(address: string, base: URL): URL {
  const url = URL.parse(address)
  if (url && url.origin === base.origin && !url.username && !url.password) return url
  throw new ApiError('rejected', "not an address on the service's own origin, so nothing was sent")
}

const textOf =
  <T>(read: Read<T>): ReadBytes<T> =>
  ({ bytes }, context) => {
    if (isHeavy(bytes)) throw new Unreadable('the body: far more parts than anything here has')
    return read(bytes.toString(), context)
  }

function readBody<T>(
  read: ReadBytes<T>,
  answer: TransportResponse,
  { about, unread }: { about: CallDescription; unread: UnreadParts },
): T {
  try {
    return read(
      { bytes: answer.bytes, mediaType: mediaTypeOf(answer) },
      { hide: isAboutTokens(about) ? asItIs : about.hide, unread },
    )
  } catch (error) {
    if (error instanceof Unreadable) throw errorOfBody(error.message, answer.status, about)
    throw error
  }
}

const mediaTypeOf = ({ headers }: TransportResponse): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
