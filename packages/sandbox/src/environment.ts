import type { AddressInfo } from 'node:net'
import { alertRoutes } from './alerts.ts'
import type { Mailer } from './checking/mailer.ts'
import { createSchedule, idleSchedule } from './checking/schedule.ts'
import { createStatuses } from './checking/statuses.ts'
import { controlRoutes } from './controls.ts'
import type { Database } from './database.ts'
import { hook } from './environment-hook.ts'
import { createFaultBoard, type Fault } from './faults.ts'
import { healthCheckRows } from './health-check-rows.ts'
import { healthCheckRoutes } from './health-checks.ts'
import { createServer } from './http.ts'
import { createJournal, type JournalEntry } from './journal.ts'
import { orderRoutes } from './orders.ts'
import { threatEventRoutes } from './threat-event-routes.ts'
import { threatEvents } from './threat-events.ts'
import { createTokens } from './tokens.ts'
import { createVariantBoard } from './variants.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on requests of the API, not on controls. */
    entry: JournalEntry | undefined
    fault: Fault | undefined
  }
}

export type EnvironmentName = 'production' | 'ote'

export interface Environment extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
}

export interface EnvironmentOptions {
  name: EnvironmentName
  port: number
  token: string
  db: Database
  checking: boolean
  mailer: Mailer
}

const ACCOUNT_IDS: Record<EnvironmentName, string> = { production: '100001', ote: '900001' }

/**
 * One environment of the service on 127.0.0.1, with its own rows, journal, faults, and variants. Throws if the port is in use.
 */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { name, port, token, db, checking, mailer } = options
  await using started = new AsyncDisposableStack()
  const server = createServer()
  started.defer(() => server.close())
  const closing = new AbortController()
  const checks = healthCheckRows(db, name)
  const events = threatEvents(db, name)
  const journal = createJournal()
  const faults = createFaultBoard()
  const variants = createVariantBoard()
  const statuses = createStatuses(db, name, checks, mailer)
  const schedule = started.use(checking ? createSchedule(statuses) : idleSchedule)
  const tokens = createTokens(db, name, {
    token,
    createdAt: readCreationTime(db, name),
    accountId: ACCOUNT_IDS[name],
  })
  const parts = { db, environment: name, checks, events, journal, faults, variants, schedule, statuses }

  hook(server, { journal, faults, tokens, closing: closing.signal })
  healthCheckRoutes(server, parts)
  alertRoutes(server, parts)
  tokens.routes(server)
  orderRoutes(server, parts)
  threatEventRoutes(server, events, () => url)
  controlRoutes(server, parts)

  await server.listen({ host: '127.0.0.1', port })
  // A server that listens on TCP has an address with a port (node:net).
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  if (checking) for (const check of checks.scheduled()) schedule.track(check)
  started.defer(() => closing.abort())
  const running = started.move()
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** When the environment was created, which is the date of its first token. */
function readCreationTime(db: Database, name: string): Date {
  db.run('INSERT OR IGNORE INTO environment (name, created_at, seeded) VALUES (?, ?, 0)', [
    name,
    new Date().toISOString(),
  ])
  const row = db.get<{ created_at: string }>('SELECT created_at FROM environment WHERE name = ?', [name])
  return new Date(row?.created_at ?? 0)
}
