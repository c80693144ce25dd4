import { randomUUID } from 'node:crypto'
import type { Schedule } from './checking/schedule.ts'
import type { Statuses } from './checking/statuses.ts'
import type { Database } from './database.ts'
import type { FaultStore } from './faults.ts'
import { readFaults } from './faults.ts'
import { type Field, findProblems, integer, oneOf, throwIfInvalid } from './fields.ts'
import {
  type HealthCheckRows,
  type NewHealthCheck,
  PROTOCOLS,
  STATUSES,
  type Status,
} from './health-check-rows.ts'
import type { Request, Server } from './http.ts'
import { type Journal, toEmbeddableJson } from './journal.ts'
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts'
import { listOrders } from './orders.ts'
import { getBodyBytes, MAX_CONTROL_BYTES, readJson, readJsonObject } from './read-body.ts'
import { Refusal } from './refusal.ts'
import type { ThreatEvents } from './threat-events.ts'
import type { VariantStore } from './variants.ts'

export const CONTROLS = '/_sandbox'

/** Throws a 403 if a control is requested from another machine, under another host name, or by a web page of another origin. */
export function guardControls({ raw, headers }: Request): void {
  const origin = URL.parse(headers.origin ?? 'http://localhost')?.host ?? ''
  // A web page could point its own host name to this machine (DNS rebinding).
  if (
    !isLoopbackAddress(raw.socket.remoteAddress ?? '') ||
    !isLoopbackHost(headers.host ?? '') ||
    !isLoopbackHost(origin)
  )
    throw new Refusal(403, 'The controls are available on this machine only, as localhost or 127.0.0.1.')
}

interface ControlDeps {
  db: Database
  environment: string
  checks: HealthCheckRows
  events: ThreatEvents
  journal: Journal
  faults: FaultStore
  variants: VariantStore
  schedule: Schedule
  statuses: Statuses
}

/**
 * Adds the endpoints for controlling the sandbox in tests and manually. They need no token, only work from this machine, and are
 * neither journaled nor affected by faults.
 */
export function addControlRoutes(server: Server, deps: ControlDeps): void {
  const { db, environment, journal, faults, variants, events } = deps

  server.get(`${CONTROLS}/requests`, async (_request, reply) =>
    reply.type('application/json').send(journal.toJson()),
  )
  server.delete(`${CONTROLS}/requests`, async () => {
    journal.clear()
    return { message: 'OK' }
  })

  server.get(`${CONTROLS}/orders`, async (_request, reply) => {
    const orders = listOrders(db, environment).map(
      (order) => `${JSON.stringify(order).slice(0, -1)},"body":${toEmbeddableJson(order.text)}}`,
    )
    return reply.type('application/json').send(`[${orders.join(',')}]`)
  })

  server.get(`${CONTROLS}/threat-events`, async () => events.list())
  server.put<{ Params: { id: string } }>(
    `${CONTROLS}/threat-events/:id`,
    { bodyLimit: MAX_CONTROL_BYTES },
    async (request) => {
      events.put(request.params.id, getBodyBytes(request))
      return { message: 'OK' }
    },
  )

  server.put(`${CONTROLS}/faults`, async (request) => {
    faults.put(readFaults(readJson(request)))
    return { message: 'OK' }
  })
  server.delete(`${CONTROLS}/faults`, async () => {
    faults.put([])
    return { message: 'OK' }
  })

  server.get(`${CONTROLS}/variants`, async () => variants.current)
  server.put(`${CONTROLS}/variants`, async (request) => {
    variants.put(readJsonObject(request))
    return { message: 'OK' }
  })
  server.delete(`${CONTROLS}/variants`, async () => {
    variants.put({})
    return { message: 'OK' }
  })

  addHealthCheckControls(server, deps)
}

const BULK_FIELDS: Record<string, Field> = {
  count: { required: true, validate: integer(1, 1_000_000) },
  status: { validate: oneOf(STATUSES) },
}
const STATUS_FIELDS: Record<string, Field> = { status: { required: true, validate: oneOf(STATUSES) } }

function addHealthCheckControls(server: Server, { db, checks, schedule, statuses }: ControlDeps): void {
  server.post(`${CONTROLS}/health-checks`, async (request) => {
    const body = readJsonObject(request)
    throwIfInvalid(findProblems(body, BULK_FIELDS))
    // Validated field by field above.
    const { count, status } = body as { count: number; status?: Status }
    insertBulk(db, checks, count, status)
    return { message: 'OK', count, total: checks.count() }
  })

  // The status stays, regardless of real checks and updates, until it's deleted.
  server.put<{ Params: { uuid: string } }>(`${CONTROLS}/health-checks/:uuid/status`, async (request) => {
    const { uuid } = checks.findOrThrow(request.params.uuid)
    const body = readJsonObject(request)
    throwIfInvalid(findProblems(body, STATUS_FIELDS))
    schedule.forget(uuid)
    checks.suspend(uuid)
    // Validated field by field above.
    statuses.record(uuid, (body as { status: Status }).status)
    return { message: 'OK' }
  })
  server.delete<{ Params: { uuid: string } }>(`${CONTROLS}/health-checks/:uuid/status`, async (request) => {
    const { uuid } = checks.findOrThrow(request.params.uuid)
    if (checks.resume(uuid)) schedule.track(checks.findOrThrow(uuid))
    return { message: 'OK' }
  })
}

/** The default statuses: of 20 checks, 18 are healthy, one is unhealthy, and one is installing. */
const chooseDefaultStatus = (index: number): Status =>
  STATUSES[index % 20 === 7 ? 2 : index % 20 === 13 ? 0 : 1]

/** Adds checks named bulk-0000001 and so on, continuing after the last bulk. They are never actually checked. */
function insertBulk(db: Database, checks: HealthCheckRows, count: number, status?: Status): void {
  const now = new Date()
  db.transaction(() => {
    const first = checks.bulkCount()
    for (let index = first; index < first + count; index++) checks.insert(createBulkCheck(index, status), now)
  })
}

function createBulkCheck(index: number, status: Status = chooseDefaultStatus(index)): NewHealthCheck {
  const protocol = PROTOCOLS[index % 3] ?? 'TCP'
  return {
    uuid: randomUUID(),
    status,
    scheduled: false,
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
