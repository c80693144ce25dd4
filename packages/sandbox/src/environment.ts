import type { AddressInfo } from 'node:net'
import { addAlertRoutes } from './alerts.ts'
import { addControlRoutes } from './controls.ts'
import type { Database } from './database.ts'
import { createFaultStore, type Fault } from './faults.ts'
import { createHealthCheckStore } from './health-check-store.ts'
import { addHealthCheckRoutes } from './health-checks.ts'
import { createServer } from './http.ts'
import { createJournal, type JournalEntry } from './journal.ts'
import { addOrderRoutes } from './orders.ts'
import { addRequestHooks } from './request-hooks.ts'
import { addThreatEventRoutes } from './threat-event-routes.ts'
import { createThreatEventStore } from './threat-event-store.ts'
import { createTokenStore } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for control requests, which aren't recorded. */
    journalEntry: JournalEntry | undefined
    fault: Fault | undefined
  }
}

export type EnvironmentName = 'production' | 'ote'

export interface Environment extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
}

interface EnvironmentOptions {
  name: EnvironmentName
  port: number
  token: string
  db: Database
  checking: boolean
}

const ACCOUNT_IDS: Record<EnvironmentName, string> = { production: '100001', ote: '900001' }

/** Starts one environment on 127.0.0.1, with its own data, journal, and faults. Throws if the port is in use. */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { name, port, token, db, checking } = options
  await using started = new AsyncDisposableStack()
  const server = createServer()
  started.defer(() => server.close())
  const closing = new AbortController()
  const checks = createHealthCheckStore(db, name)
  const events = createThreatEventStore(db, name)
  const journal = createJournal()
  const faults = createFaultStore()
  const tokens = createTokenStore(db, name, {
    token,
    createdAt: readCreationTime(db, name),
    accountId: ACCOUNT_IDS[name],
  })
  const deps = { db, environment: name, checks, events, journal, faults }

  addRequestHooks(server, { journal, faults, tokens, closing: closing.signal })
  addHealthCheckRoutes(server, { ...deps, checking, closing: closing.signal })
  addAlertRoutes(server, deps)
  tokens.addRoutes(server)
  addOrderRoutes(server, deps)
  addThreatEventRoutes(server, events, () => url)
  addControlRoutes(server, deps)

  await server.listen({ host: '127.0.0.1', port })
  // A server that listens on TCP has an address with a port (node:net).
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  // Disposal runs in reverse order, so this ends delayed responses before the server closes.
  started.defer(() => closing.abort())
  const running = started.move()
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Returns when the environment was created, which the token list shows as the creation time of the initial token. */
function readCreationTime(db: Database, name: string): Date {
  db.run('INSERT OR IGNORE INTO environment (name, created_at, seeded) VALUES (?, ?, 0)', [
    name,
    new Date().toISOString(),
  ])
  const row = db.get<{ created_at: string }>('SELECT created_at FROM environment WHERE name = ?', [name])
  return new Date(row?.created_at ?? 0)
}
