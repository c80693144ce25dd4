import { hash } from 'node:crypto'
import type { SpanAttributes } from '@signalman/runtime'
import type { Coalescer } from './coalesce.ts'
import { type Decode, type DecodeBytes, type DecodeContext, Unreadable } from './decode.ts'
import { ApiError } from './errors.ts'
import type { Hide } from './hide.ts'
import { type CallDescription, errorOfBody } from './outcome.ts'
import { isHeavy, type Turn } from './parse-turns.ts'
import { type HttpCall, type Sender, type SendingResources, sendWithRetries } from './retry.ts'
import type { Method, RequestCaller, TransportResponse } from './transport.ts'
import { type Unread, UnreadParts } from './unread.ts'

/** Query parameters by their names on the wire; undefined ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>

/** A received answer; calling this decodes it when its turn comes. Throws ApiError. */
export type UndecodedAnswer<T> = () => Promise<T>

/** `value` is undefined if the answer still has the given digest. */
export interface IfChanged<T> {
  readonly digest: string
  readonly value: T | undefined
}

export interface Download<T> {
  /** Media types for the `accept` header; `decode` checks the actual one. */
  accept: string
  /** Maximum number of bytes, both compressed and decompressed. */
  maxBytes: number
  decode: DecodeBytes<T>
}

/** Shared by all credentials of a service. */
export interface ServiceResources extends SendingResources {
  coalescer: Coalescer
  hiderOf: (token: string) => Hide
  turn: Turn
  onUnread(unread: Unread, about: Pick<CallDescription, 'method' | 'path'>): void
}

/** Sends a call. The answer stays bytes until it is decoded. */
async function fetchAnswer<T>(
  resources: ServiceResources,
  sender: Sender,
  call: HttpCall,
  decode: DecodeAnswer<T>,
  signal: AbortSignal | undefined,
): Promise<UndecodedAnswer<T>> {
  requireSendable(sender.token)
  const { hide } = sender
  // A route without IDs is a constant of this program.
  const path = call.path === call.route ? call.path : hide(call.path)
  const about: CallDescription = { method: call.method, path, hide, earlier: false }
  const answer = await sendWithRetries({ resources, sender, call, about }, signal)
  return () => decodeInTurn(resources, about, answer, decode)
}

/** The address of an environment of the service. */
export interface ServiceBase {
  origin: string
  /** The prefix of every path, without a trailing slash. */
  prefix: string
  /** The same, as shown in a span. */
  server: SpanAttributes
}

export type Http = ReturnType<typeof createHttp>

/** How the calls of one set of credentials are made. All of them throw ApiError. `ended` ends the wait for every read. */
export function createHttp(
  resources: ServiceResources,
  { origin, prefix, server }: ServiceBase,
  { token, ended, ...caller }: RequestCaller & { token: string; ended?: AbortSignal | undefined },
) {
  // Not shared between callers, nor between polls and people: one would wait for the other's turn.
  const scope = [origin + prefix, token, caller.caller, caller.isPoll ? 'poll' : ''].join(' ')
  const sender = { ...caller, token, origin, server, hide: resources.hiderOf(token) }

  async function run<T>(
    call: HttpCall,
    decode: DecodeAnswer<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const undecoded = await fetchAnswer(resources, sender, call, decode, signal)
    return undecoded()
  }

  const share = <T>(key: string, start: (stop: AbortSignal) => Promise<T>, signal: AbortSignal | undefined) =>
    resources.coalescer.share(scope, key, start, either(signal, ended))

  /** A read, and the key under which whoever asks for the same shares it. */
  const readCall = ({ path, route }: ServicePath, query: Query = {}) => {
    const key = path + queryText(query)
    return { key, call: { method: 'GET' as const, path, route, target: prefix + key } }
  }

  return {
    /** Sent once for concurrent identical calls; retried on temporary errors. */
    get<T>(to: ServicePath, decode: Decode<T>, signal: AbortSignal | undefined, query?: Query): Promise<T> {
      const { key, call } = readCall(to, query)
      return share(key, (stop) => run(call, asText(decode), stop), signal)
    },
    /** The same, but the answer stays bytes until the caller decodes it; each caller that shares it decodes it separately. */
    getUndecoded<T>(to: ServicePath, decode: Decode<T>, signal: AbortSignal, query: Query) {
      const { key, call } = readCall(to, query)
      return share(
        `undecoded ${key}`,
        (stop) => fetchAnswer(resources, sender, call, asText(decode), stop),
        signal,
      )
    },
    /** The same, but an answer with this digest, like the previous one, isn't parsed. Never shared. */
    getIfChanged<T>(
      to: ServicePath,
      decode: Decode<T>,
      signal: AbortSignal,
      query: Query,
      digest: string | undefined,
    ) {
      const { call } = readCall(to, query)
      return run(call, unlessSame(digest, asText(decode)), either(signal, ended))
    },
    /**
     * A resource whose absolute URL an answer contained. It must be on the service's own origin: the token is never sent
     * anywhere else, and redirects aren't followed. Retried and shared like `get`.
     */
    async download<T>(address: string, { decode, ...wanted }: Download<T>, signal: AbortSignal | undefined) {
      const { pathname, search } = ownAddress(address, origin)
      const target = pathname + search
      const call = { method: 'GET' as const, path: pathname, route: DOWNLOAD, target, ...wanted }
      return share(`${wanted.accept} ${target}`, (stop) => run(call, asFile(decode), stop), signal)
    },
    /** PUT and DELETE are retried on temporary errors; a POST only if nothing of it was sent. */
    async send<T>(
      method: Exclude<Method, 'GET'>,
      { path, route }: ServicePath,
      decode: Decode<T>,
      signal: AbortSignal | undefined,
      body?: string,
    ): Promise<T> {
      try {
        return await run({ method, path, route, target: prefix + path, body }, asText(decode), signal)
      } finally {
        resources.coalescer.close(scope)
      }
    },
  }
}

/** The service chose the path of a URL in its answer. */
const DOWNLOAD = '{resource}'

const either = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other && one !== other ? AbortSignal.any([one, other]) : (one ?? other)

function requireSendable(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  const fault = 'the token is empty or contains characters that aren’t allowed in a header'
  throw new ApiError('unauthorized', `${fault}, so nothing was sent; store the token again`)
}

function queryText(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, String(value))
  }
  return params.size === 0 ? '' : `?${params}`
}

/** A URL of the service itself; no user name or other origin is accepted. */
function ownAddress(address: string, origin: string): URL {
  const url = URL.parse(address)
  if (url && url.origin === origin && !url.username && !url.password) return url
  throw new ApiError('rejected', "not an address on the service's own origin, so nothing was sent")
}

/** Decodes a whole answer, in one synchronous step. */
type DecodeAnswer<T> = (answer: TransportResponse, context: DecodeContext) => T

const asText =
  <T>(decode: Decode<T>): DecodeAnswer<T> =>
  ({ bytes }, context) => {
    if (isHeavy(bytes)) throw new Unreadable('the body: far more parts than anything here has')
    return decode(bytes.toString(), context)
  }

const asFile =
  <T>(decode: DecodeBytes<T>): DecodeAnswer<T> =>
  ({ bytes, headers }, context) => {
    const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
    return decode({ bytes, mediaType }, context)
  }

const unlessSame =
  <T>(before: string | undefined, decode: DecodeAnswer<T>): DecodeAnswer<IfChanged<T>> =>
  (answer, context) => {
    const digest = hash('sha256', answer.bytes, 'base64url')
    return { digest, value: digest === before ? undefined : decode(answer, context) }
  }

/** Decodes an answer when its turn comes. Throws ApiError. */
async function decodeInTurn<T>(
  { turn, onUnread }: ServiceResources,
  about: CallDescription,
  answer: TransportResponse,
  decode: DecodeAnswer<T>,
): Promise<T> {
  const unread = new UnreadParts()
  try {
    const value = await turn(() => decode(answer, { hide: about.hide, unread }))
    if (unread.count > 0) onUnread(unread, about)
    return value
  } catch (error) {
    throw error instanceof Unreadable ? errorOfBody(error.message, answer.status, about) : error
  }
}

/** Longer than any ID of the service, short enough for every server's limit on a request line. */
const MAX_ID_LENGTH = 500

/** Where a request goes. */
interface ServicePath {
  /** The path with its IDs, as it is sent. */
  path: string
  /** With the names of the IDs instead of their values: the same for all requests of a kind, so it can be counted and shown. */
  route: string
}

/**
 * A request path from a template with named IDs: path`/checks/${{ uuid }}`. Each ID is encoded as one segment. An ID that is
 * empty, `.` or `..` would name another resource after normalization, and `encodeURIComponent` doesn't encode those: such an ID
 * fails as 'not-found' and nothing is sent.
 */
export function path(
  parts: TemplateStringsArray,
  ...ids: readonly Readonly<Record<string, string | number>>[]
): ServicePath {
  const named = ids.flatMap((id) => Object.entries(id))
  return {
    path: String.raw({ raw: parts }, ...named.map(([, id]) => segment(id))),
    route: String.raw({ raw: parts }, ...named.map(([name]) => `{${name}}`)),
  }
}

function segment(id: string | number): string {
  const text = String(id)
  if (text === '' || text === '.' || text === '..' || text.length > MAX_ID_LENGTH || !text.isWellFormed()) {
    throw new ApiError(
      'not-found',
      'This isn’t a valid ID, so nothing was sent. Copy the ID from the service.',
    )
  }
  return encodeURIComponent(text)
}
