import type { Environment } from '../domain/environment.ts'
import type { ObserveCall } from '../domain/outgoing-call.ts'
import { type Alerts, alerts } from './alerts.ts'
import { type Catalog, catalog } from './catalog.ts'
import { createCoalescer } from './coalesce.ts'
import { createDeadlines } from './deadline.ts'
import type { Unread } from './fields.ts'
import { type HealthChecks, healthChecks } from './health-checks.ts'
import { createHttp, type ServiceResources } from './http.ts'
import { type Orders, orders } from './orders.ts'
import type { Turn } from './parse-turns.ts'
import type { RetryPolicy } from './retry-pauses.ts'
import { type Threats, threats } from './threats.ts'
import { type Tokens, tokens } from './tokens.ts'
import { createTransport } from './transport.ts'

export type { Turn }

/** All operations of the service, in one environment and with one token. */
export interface Api {
  readonly environment: Environment
  readonly healthChecks: HealthChecks
  readonly alerts: Alerts
  readonly tokens: Tokens
  readonly orders: Orders
  readonly catalog: Catalog
  readonly threats: Threats
}

/** The service, its connections shared by all credentials. Disposing of it cuts what is under way as 'cancelled'. */
export interface Service extends AsyncDisposable {
  with(credentials: Credentials): Api
}

export interface Credentials {
  environment: Environment
  token: string
  /** Whose share of the connections is taken: the token's own unless given. Several may have the same token. */
  caller?: string | undefined
  /** Ends the wait for every read as 'cancelled'. */
  signal?: AbortSignal | undefined
}

export interface ServiceOptions {
  /** Absolute, without query; a path prefix is kept. */
  baseUrls: Record<Environment, string>
  /** Runs the step that parses an answer, when there is room for it; at once unless given. */
  turn?: Turn | undefined
  /**
   * Connection 3 s, head of the answer 8 s, silence within its body 8 s, a whole call with its repetitions 20 s.
   * The middle two are watched by a clock that ticks about once a second.
   */
  timeouts?: Partial<{ connectMs: number; headersMs: number; bodyMs: number; totalMs: number }> | undefined
  /** 3 attempts, pauses random up to 200 ms, doubling to at most 2 s. */
  retry?: Partial<RetryPolicy> | undefined
  /** From 0 to 1, exclusive. */
  random?: (() => number) | undefined
  /** Most bytes of one JSON answer once unpacked, 4 MiB unless given: 25 times a page of 500 checks. */
  maxBytes?: number | undefined
  /** Connections to one origin, 128 unless given; further requests wait, and callers take turns. */
  connections?: number | undefined
  /** How many of them one caller has at most: 32 unless given. */
  connectionsPerCaller?: (() => number) | undefined
  /** Hears of parts of a good answer that could not be read and were left out: once for each place in an answer. */
  onUnread?: ServiceListener | undefined
  /** Hears of every request, each repetition one. */
  onCall?: ObserveCall | undefined
}

/** Four callers that are answered slowly leave none. */
export const CONNECTIONS_PER_CALLER = 32

type ServiceListener = (unread: Unread, about: { method: string; path: string }) => void

/** Throws an Error that names the fault when a base URL cannot be used. */
export function createService(options: ServiceOptions): Service {
  const bases = {
    production: baseOf(options.baseUrls.production, 'production'),
    ote: baseOf(options.baseUrls.ote, 'ote'),
  }
  const { totalMs = 20_000, connectMs = 3_000, headersMs = 8_000, bodyMs = 8_000 } = options.timeouts ?? {}
  const { maxBytes = 4 * 1024 * 1024, connections = 128 } = options
  const { connectionsPerCaller = () => CONNECTIONS_PER_CALLER } = options
  const transport = createTransport({
    connectMs,
    headersMs,
    bodyMs,
    maxBytes,
    connections,
    connectionsPerCaller,
  })
  const deadlines = createDeadlines()
  const resources: ServiceResources = {
    transport,
    deadlines,
    coalescer: createCoalescer(),
    turn: options.turn ?? (async (work) => work()),
    retry: { attempts: 3, baseDelayMs: 200, maxDelayMs: 2_000, ...options.retry },
    random: options.random ?? Math.random,
    totalMs,
    maxBytes,
    onCall: options.onCall,
    onUnread: onceForEachPlace(options.onUnread),
  }
  return {
    with({ environment, token, caller = token, signal }) {
      const http = createHttp(resources, bases[environment], { token, caller, ended: signal })
      return {
        environment,
        healthChecks: healthChecks(http),
        alerts: alerts(http),
        tokens: tokens(http),
        orders: orders(http),
        catalog: catalog(http),
        threats: threats(http),
      }
    },
    async [Symbol.asyncDispose]() {
      deadlines.stopAll()
      await transport[Symbol.asyncDispose]()
    },
  }
}

/** A place is a path without its numbers; the names in it are the interface's, so there are only so many. */
function onceForEachPlace(listener: ServiceListener = () => undefined): ServiceListener {
  const told = new Set<string>()
  return (unread, about) => {
    const places = unread.paths.map((path) => path.replaceAll(/\[\d+\]/g, '[]'))
    const isNew = places.some((place) => !told.has(place))
    for (const place of places) told.add(place)
    if (isNew) listener(unread, about)
  }
}

function baseOf(text: string, environment: Environment): URL {
  const base = URL.parse(text)
  const usable = base && /^https?:$/.test(base.protocol) && !base.search && !base.hash && !base.username
  if (usable) return base
  const wanted = 'an absolute http or https address without credentials, query or fragment'
  throw new Error(`The base URL for ${environment} must be ${wanted}, such as https://api.example.com`)
}
