// This folder is the client of the service’s API: one file per part of the API, and http.ts for retries, timeouts, and errors.

import { createHash } from 'node:crypto'
import type { Environment } from '../domain/environment.ts'
import { type Alerts, alerts } from './alerts.ts'
import { createCheckNames } from './check-names.ts'
import { type HealthChecks, healthChecks } from './health-checks.ts'
import { createHttp, type ServiceBase } from './http.ts'
import { SERVICE_LIMITS } from './limits.ts'
import { type Orders, orders } from './orders.ts'
import type { ParseIssues } from './parse-issues.ts'
import { type Caller, createSend, type SendOptions } from './send.ts'
import { type Threats, threats } from './threat-event.ts'
import { type Tokens, tokens } from './tokens.ts'

/** All operations of the service, in one environment and with one token. */
export interface Api {
  /** The service's base URL, without a trailing slash. Together with an object's UUID, identifies it across workspaces. */
  readonly address: string
  /**
   * Identifies the account: the digest of the stored connection, which stays the same when its token is replaced, or else the digest
   * of the token.
   */
  readonly account: string
  readonly healthChecks: HealthChecks
  readonly alerts: Alerts
  readonly tokens: Tokens
  readonly orders: Orders
  readonly threats: Threats
}

/** The service, with connections shared by all credentials. Disposing aborts calls in progress as 'cancelled'. */
export interface Service extends AsyncDisposable {
  with(credentials: Credentials): Api
}

export interface Credentials extends Partial<Caller> {
  environment: Environment
  /** Also identifies the caller, unless `caller` is set because several callers have the same token. */
  token: string
  /** Identifies the account. Default: a digest of the token. */
  account?: string | undefined
}

/** Identifies an account by its token, if there is no stored connection. */
export const accountFromToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url').slice(0, 16)

/** Defaults are in SERVICE_LIMITS. */
export interface ServiceOptions extends Partial<Omit<SendOptions, 'timeouts' | 'retry'>> {
  /** Absolute, without query; a path prefix is kept. */
  baseUrls: Record<Environment, string>
  timeouts?: Partial<SendOptions['timeouts']> | undefined
  retry?: Partial<SendOptions['retry']> | undefined
  /** How long the names of all health checks are kept, to look for one. */
  namesKeptMs?: number | undefined
  /** Called once for each part of a response that couldn't be parsed and was left out. */
  onParseIssues?: ServiceListener | undefined
}

type ServiceListener = (issues: ParseIssues, description: { method: string; path: string }) => void

/** Throws an Error if a base URL can't be used. */
export function createService({
  baseUrls,
  timeouts,
  retry,
  namesKeptMs = SERVICE_LIMITS.namesKeptMs,
  onParseIssues,
  ...limits
}: ServiceOptions): Service {
  const bases = {
    production: readServiceBase(baseUrls.production, 'production'),
    ote: readServiceBase(baseUrls.ote, 'ote'),
  }
  const send = createSend({
    maxBytes: SERVICE_LIMITS.jsonBytes,
    connections: SERVICE_LIMITS.connections,
    connectionsPerCaller: () => SERVICE_LIMITS.connectionsPerCaller,
    ...limits,
    timeouts: { ...SERVICE_LIMITS.timeouts, ...timeouts },
    retry: { ...SERVICE_LIMITS.retry, ...retry },
  })
  const resources = { send, onParseIssues: reportNewPaths(onParseIssues) }
  const namesOf = createCheckNames(namesKeptMs)
  return {
    with({ environment, token, account, caller = token, ...rest }) {
      const base = bases[environment]
      const http = createHttp(resources, base, { ...rest, token, caller })
      const names = namesOf(
        () => `${base.origin}${base.prefix} ${caller} ${accountFromToken(token)}`,
        () => createHttp(resources, base, { ...rest, token, caller, isSearch: true }),
      )
      return {
        address: base.origin + base.prefix,
        get account() {
          return account ?? accountFromToken(token)
        },
        healthChecks: healthChecks(http, names),
        alerts: alerts(http),
        tokens: tokens(http),
        orders: orders(http),
        threats: threats(http),
      }
    },
    [Symbol.asyncDispose]: () => send[Symbol.asyncDispose](),
  }
}

/** Calls the listener only for paths that it hasn't been called for. Ignores list indexes, so the number of paths is limited. */
function reportNewPaths(listener: ServiceListener = () => undefined): ServiceListener {
  const reported = new Set<string>()
  return (issues, description) => {
    const paths = issues.paths.map((path) => path.replaceAll(/\[\d+\]/g, '[]'))
    const isNew = paths.some((path) => !reported.has(path))
    for (const path of paths) reported.add(path)
    if (isNew) listener(issues, description)
  }
}

/** Parses a base URL, which may have a path prefix. */
function readServiceBase(text: string, environment: Environment): ServiceBase {
  const base = URL.parse(text)
  const isUsable = base && /^https?:$/.test(base.protocol) && !base.search && !base.hash && !base.username
  if (isUsable) {
    const { origin, pathname } = base
    return { origin, prefix: pathname.replace(/\/+$/, '') }
  }
  const expected = 'an absolute http or https address without credentials, query, or fragment'
  throw new Error(`The base URL for ${environment} must be ${expected}, such as https://api.example.com`)
}
