import { yieldWhenDue } from '@signalman/runtime'
import type { Answer, Call, Method } from './call.ts'
import { type Body, type Decode, FailureReported, Unreadable } from './decode.ts'
import { ApiError } from './errors.ts'
import { ParseIssueCollector, type ParseIssues } from './parse-issues.ts'
import { createRedactor } from './redact.ts'
import { bodyError, statusError } from './response-errors.ts'
import { isUsableId } from './schema.ts'
import type { Caller, Send } from './send.ts'

/** Query parameters by their names in the URL. Undefined ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>

interface ServiceResources {
  send: Send
  onParseIssues(issues: ParseIssues, description: Pick<Call, 'method' | 'path'>): void
}

export interface ServiceBase {
  origin: string
  /** The prefix of every path, without a trailing slash. */
  prefix: string
}

export type Http = ReturnType<typeof createHttp>

/** The HTTP client for one set of credentials. Every call throws ApiError. */
export function createHttp(
  { send, onParseIssues }: ServiceResources,
  { origin, prefix }: ServiceBase,
  { token, ...from }: Caller & { token: string },
) {
  const sender = { ...from, token, origin }
  const redact = createRedactor(token)

  async function request<T>(
    unredacted: Omit<Call, 'redact' | 'holdsTokens'>,
    decode: Decode<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    requireValidToken(token)
    const { path, route } = unredacted
    // A path without IDs can't contain the token.
    const safePath = path === route ? path : redact(path)
    const call: Call = { ...unredacted, redact, path: safePath, holdsTokens: path.startsWith('/auth/') }
    const answer = await send(call, sender, signal)
    const issues = new ParseIssueCollector()
    // Pages that arrive together aren't read together: each takes a millisecond or two.
    await yieldWhenDue()
    try {
      const { bytes, headers } = answer
      const body: Body = {
        bytes,
        get mediaType() {
          return parseMediaType(headers)
        },
        text: () => (call.holdsTokens ? bytes.toString() : redact(bytes.toString())),
      }
      const value = decode(body, issues)
      if (issues.count > 0) onParseIssues(issues, call)
      return value
    } catch (error) {
      if (error instanceof FailureReported) throw statusError(call, answer)
      throw error instanceof Unreadable ? bodyError(call, answer, error) : error
    }
  }

  return {
    /** Retried on temporary errors. */
    get: <T>(to: ServicePath, decode: Decode<T>, signal?: AbortSignal, query?: Query): Promise<T> =>
      request({ ...to, method: 'GET', target: prefix + to.path + formatQuery(query) }, decode, signal),
    /**
     * Downloads a resource whose absolute URL was in a response. It must be on the service's own origin: the token is never sent
     * anywhere else, and redirects aren't followed. Retried like `get`.
     */
    async download<T>(
      address: string,
      decode: Decode<T>,
      limits: Pick<Call, 'accept' | 'maxBytes'>,
    ): Promise<T> {
      const { pathname: path, search } = parseOwnUrl(address, origin)
      return request({ ...limits, method: 'GET', path, route: DOWNLOAD_ROUTE, target: path + search }, decode)
    },
    /** Sends a write. No caller can cancel one that has begun. Retries PUT and DELETE on temporary errors, but a POST only if nothing was sent. */
    send: <T>(
      method: Exclude<Method, 'GET'>,
      to: ServicePath,
      decode: Decode<T>,
      body?: string,
    ): Promise<T> => request({ ...to, method, target: prefix + to.path, body }, decode),
  }
}

/** The route of all downloads in metrics, because the service chooses their paths. */
const DOWNLOAD_ROUTE = '{resource}'

const parseMediaType = ({ 'content-type': type = '' }: Answer['headers']): string =>
  type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

function requireValidToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  const fault = 'the token is empty or contains characters that aren’t allowed in a header'
  throw new ApiError('unauthorized', `${fault}, so nothing was sent; store the token again`)
}

function formatQuery(query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, String(value))
  }
  return params.size === 0 ? '' : `?${params}`
}

/** Parses a URL of the service. Throws for any other origin, for a user name, and for `blob:`, whose origin is that of the URL inside. */
function parseOwnUrl(address: string, origin: string): URL {
  const url = URL.parse(address)
  if (url?.href.startsWith(`${origin}/`)) return url
  throw new ApiError('rejected', "the URL isn’t on the service's own origin, so nothing was sent")
}

interface ServicePath {
  /** The path with its IDs, as it is sent. */
  path: string
  /** The path with the names of the IDs instead of their values, for metrics. */
  route: string
}

/**
 * Builds a request path from a route and its IDs: `path('/checks/{uuid}', { uuid })`. Each ID is encoded as one segment. Throws
 * 'not-found' for an ID that can't be one of the service's.
 */
export const path = (route: string, ids: Readonly<Record<string, string | number>> = {}): ServicePath => ({
  path: route.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(ids[name] ?? '')),
  route,
})

function encodeSegment(id: string | number): string {
  const text = String(id)
  if (!isUsableId(text)) {
    throw new ApiError(
      'not-found',
      'This isn’t a valid ID, so nothing was sent. Copy the ID from the service.',
    )
  }
  return encodeURIComponent(text)
}
