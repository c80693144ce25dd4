import type { Database } from './database.ts'
import type { FaultStore } from './faults.ts'
import { readFaults } from './faults.ts'
import { type Field, findProblems, integer, oneOf, throwIfInvalid } from './fields.ts'
import {
  type HealthCheckStore,
  type NewHealthCheck,
  PROTOCOLS,
  STATUSES,
  type Status,
} from './health-check-store.ts'
import type { Request, Server } from './http.ts'
import { HttpError } from './http-error.ts'
import { type Journal, toEmbeddableJson } from './journal.ts'
import { listOrders } from './orders.ts'
import { getBodyBytes, MAX_CONTROL_BYTES, readJson, readJsonObject } from './read-body.ts'
import type { ThreatEventStore } from './threat-event-store.ts'

export const CONTROLS_PATH = '/_sandbox'

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** Throws a 403 if the request comes from another origin, or its Host header doesn't name this machine. */
export function guardControls({ headers }: Request): void {
  const origin = URL.parse(headers.origin ?? 'http://localhost')?.host ?? ''
  // The Host header is checked because a web page could point its own host name to this machine (DNS rebinding).
  if (!THIS_MACHINE.test(headers.host ?? '') || !THIS_MACHINE.test(origin))
    throw new HttpError(403, 'The controls are available on this machine only, as localhost or 127.0.0.1.')
}

interface ControlDeps {
  db: Database
  environment: string
  checks: HealthCheckStore
  events: ThreatEventStore
  journal: Journal
  faults: FaultStore
}

/**
 * Adds the endpoints that tests and people use to control the sandbox. They need no token, work only from this machine, aren't
 * recorded in the journal, and aren't affected by faults.
 */
export function addControlRoutes(server: Server, deps: ControlDeps): void {
  const { db, environment, journal, faults, events } = deps

  server.get(`${CONTROLS_PATH}/requests`, async (_request, reply) =>
    reply.type('application/json').send(journal.toJson()),
  )
  server.delete(`${CONTROLS_PATH}/requests`, async () => {
    journal.clear()
    return { message: 'OK' }
  })

  server.get(`${CONTROLS_PATH}/orders`, async (_request, reply) => {
    const orders = listOrders(db, environment).map(
      (order) => `${JSON.stringify(order).slice(0, -1)},"body":${toEmbeddableJson(order.text)}}`,
    )
    return reply.type('application/json').send(`[${orders.join(',')}]`)
  })

  server.get(`${CONTROLS_PATH}/threat-events`, async () => events.list())
  server.put<{ Params: { id: string } }>(
    `${CONTROLS_PATH}/threat-events/:id`,
    { bodyLimit: MAX_CONTROL_BYTES },
    async (request) => {
      events.put(request.params.id, getBodyBytes(request))
      return { message: 'OK' }
    },
  )

  server.put(`${CONTROLS_PATH}/faults`, async (request) => {
    faults.put(readFaults(readJson(request)))
    return { message: 'OK' }
  })

  addHealthCheckControls(server, deps)
}

const BULK_FIELDS: Record<string, Field> = { count: { required: true, validate: integer(1, 1_000_000) } }
const STATUS_FIELDS: Record<string, Field> = { status: { required: true, validate: oneOf(STATUSES) } }

function addHealthCheckControls(server: Server, { db, checks }: ControlDeps): void {
  server.post(`${CONTROLS_PATH}/health-checks`, async (request) => {
    const body = readJsonObject(request)
    throwIfInvalid(findProblems(body, BULK_FIELDS))
    // Validated field by field above.
    const { count } = body as { count: number }
    insertBulkChecks(db, checks, count)
    return { message: 'OK', count, total: checks.count() }
  })

  server.put<{ Params: { uuid: string } }>(`${CONTROLS_PATH}/health-checks/:uuid/status`, async (request) => {
    const { uuid } = checks.findOrThrow(request.params.uuid)
    const body = readJsonObject(request)
    throwIfInvalid(findProblems(body, STATUS_FIELDS))
    // Validated field by field above.
    checks.setStatus(uuid, (body as { status: Status }).status)
    return { message: 'OK' }
  })
}

/** Of every 20 checks, one is unhealthy, one is installing, and the others are healthy. */
function chooseStatus(index: number): Status {
  if (index % 20 === 7) return 'UNHEALTHY'
  if (index % 20 === 13) return 'INSTALLING'
  return 'HEALTHY'
}

/** Adds checks named bulk-0000001, bulk-0000002, and so on, after the existing ones. */
function insertBulkChecks(db: Database, checks: HealthCheckStore, count: number): void {
  const now = new Date()
  db.transaction(() => {
    const first = checks.bulkCount()
    for (let index = first; index < first + count; index++) checks.insert(createBulkCheck(index), now)
  })
}

function createBulkCheck(index: number): NewHealthCheck {
  const protocol = PROTOCOLS[index % 3] ?? 'TCP'
  return {
    status: chooseStatus(index),
    name: `bulk-${String(index + 1).padStart(7, '0')}`,
    customer_id: [1000, 1100, 1110, 1200, 2000][index % 5] ?? 1000,
    protocol,
    target: `host-${index + 1}.example.com`,
    port: { TCP: 5432, HTTP: 80, HTTPS: 443 }[protocol],
    frequency: 60,
    http_server_address: protocol === 'TCP' ? null : '192.0.2.10',
    verify_ssl: protocol === 'HTTPS' ? true : null,
  }
}
