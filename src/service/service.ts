import { createHash } from 'node:crypto'
import type { ObserveCall } from '@signalman/runtime'
import type { Environment } from '../domain/environment.ts'
import { type Alerts, alerts } from './alerts.ts'
import { createCoalescer } from './coalesce.ts'
import { type HealthChecks, healthChecks } from './health-checks.ts'
import { createHiders } from './hide.ts'
import { createHttp, type ServiceBase, type ServiceResources } from './http.ts'
import { SERVICE_LIMITS } from './limits.ts'
import { type Catalog, catalog, type Orders, orders } from './orders.ts'
import type { Turn } from './parse-turns.ts'
import { createDeadlines, type RetryPolicy } from './retry.ts'
import { type Threats, threats } from './threat-event.ts'
import { type Tokens, tokens } from './tokens.ts'
import { createTransport, type RequestCaller } from './transport.ts'
import type { Unread } from './unread.ts'

export type { Turn }

/** All operations of the service, in one environment and with one token. */
export interface Api {
  readonly environment: Environment
  /**
   * A digest that identifies the account: the stored connection's, which stays the same if its token is replaced, or else the
   * token's.
   */
  readonly account: string
  readonly healthChecks: HealthChecks
  readonly alerts: Alerts
  readonly tokens: Tokens
  readonly orders: Orders
  readonly catalog: Catalog
  readonly threats: Threats
}

/** The service, with connections shared by all credentials. Disposing aborts calls in progress as 'cancelled'. */
export interface Service extends AsyncDisposable {
  with(credentials: Credentials): Api
}

export interface Credentials extends Partial<RequestCaller> {
  environment: Environment
  /** Also the name of the caller, unless `caller` is given, because several callers may have the same token. */
  token: string
  /** The account's digest if known; the token's unless given. */
  account?: string | undefined
  /** Cancels all reads. */
  signal?: AbortSignal | undefined
}

/** The digest of an account if only a token is known. */
export const accountFromToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url').slice(0, 16)

/** Defaults are in SERVICE_LIMITS. */
export interface ServiceOptions {
  /** Absolute, without query; a path prefix is kept. */
  baseUrls: Record<Environment, string>
  /** Runs the step that parses a response when there is capacity. By default, it runs immediately. */
  turn?: Turn | undefined
  timeouts?: Partial<{ connectMs: number; headersMs: number; bodyMs: number; totalMs: number }> | undefined
  retry?: Partial<RetryPolicy> | undefined
  maxBytes?: number | undefined
  connections?: number | undefined
  /** How many connections one caller's people may use, evaluated each time one is assigned. */
  connectionsPerCaller?: (() => number) | undefined
  /** Called once for each part of a response that couldn't be parsed and was left out. */
  onUnread?: ServiceListener | undefined
  /** Called for every request, including retries. */
  onCall?: ObserveCall | undefined
}

type ServiceListener = (unread: Unread, about: { method: string; path: string }) => void

/** Throws an Error if a base URL can't be used. */
export function createService(options: ServiceOptions): Service {
  const bases = {
    production: readServiceBase(options.baseUrls.production, 'production'),
    ote: readServiceBase(options.baseUrls.ote, 'ote'),
  }
  const { totalMs, ...timeouts } = { ...SERVICE_LIMITS.timeouts, ...options.timeouts }
  const { maxBytes = SERVICE_LIMITS.jsonBytes, connections = SERVICE_LIMITS.connections } = options
  const { connectionsPerCaller = () => SERVICE_LIMITS.connectionsPerCaller } = options
  const transport = createTransport({ ...timeouts, maxBytes, connections, connectionsPerCaller })
  const deadlines = createDeadlines()
  const resources: ServiceResources = {
    transport,
    deadlines,
    coalescer: createCoalescer(),
    findHider: createHiders(),
    turn: options.turn ?? (async (work) => work()),
    retry: { ...SERVICE_LIMITS.retry, ...options.retry },
    totalMs,
    maxBytes,
    onCall: options.onCall,
    onUnread: reportNewPaths(options.onUnread),
  }
  return {
    with({ environment, token, account, signal, caller = token, ...rest }) {
      const http = createHttp(resources, bases[environment], { ...rest, token, caller, endSignal: signal })
      return {
        environment,
        get account() {
          return account ?? accountFromToken(token)
        },
        // Created on demand, because each caller uses only one or two of these.
        get healthChecks() {
          return healthChecks(http)
        },
        get alerts() {
          return alerts(http)
        },
        get tokens() {
          return tokens(http)
        },
        get orders() {
          return orders(http)
        },
        get catalog() {
          return catalog(http)
        },
        get threats() {
          return threats(http)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      deadlines.stopAll()
      await transport[Symbol.asyncDispose]()
    },
  }
}

/** Calls the listener only for new places. A place is a path without its indexes, so the number of places is limited. */
function reportNewPaths(listener: ServiceListener = () => undefined): ServiceListener {
  const reported = new Set<string>()
  return (unread, about) => {
    const shapes = unread.paths.map((path) => path.replaceAll(/\[\d+\]/g, '[]'))
    const isNew = shapes.some((place) => !reported.has(place))
    for (const place of shapes) reported.add(place)
    if (isNew) listener(unread, about)
  }
}

/** Parses a base URL, which may have a path prefix. */
function readServiceBase(text: string, environment: Environment): ServiceBase {
  const base = URL.parse(text)
  const isUsable = base && /^https?:$/.test(base.protocol) && !base.search && !base.hash && !base.username
  if (isUsable) {
    const { origin, pathname, hostname, port, protocol } = base
    const server = {
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    }
    return { origin, prefix: pathname.replace(/\/+$/, ''), server }
  }
  const expected = 'an absolute http or https address without credentials, query, or fragment'
  throw new Error(`The base URL for ${environment} must be ${expected}, such as https://api.example.com`)
}
