import type { Schedule } from './checking/schedule.ts'
import type { Database } from './database.ts'
import { readHealthCheck } from './health-check-body.ts'
import { healthCheckListing } from './health-check-listing.ts'
import type { HealthCheckRow, HealthCheckRows } from './health-check-rows.ts'
import { readJsonObject, type Server } from './http.ts'

const PATH = '/healthcheck/v1/healthchecks'

interface ByUuid {
  Params: { uuid: string }
}

/** The five operations on health checks, each answering 200 with `message` and `data`. */
export function healthCheckRoutes(
  server: Server,
  {
    db,
    environment,
    checks,
    schedule,
  }: { db: Database; environment: string; checks: HealthCheckRows; schedule: Schedule },
): void {
  const list = healthCheckListing(db, environment)

  server.get<{ Querystring: Record<string, unknown> }>(PATH, async ({ query }) => {
    const listing = list(query)
    return { message: 'OK', data: { ...listing, results: listing.results.map(whole) } }
  })

  server.post(PATH, async (request) => {
    const row = checks.create(readHealthCheck(readJsonObject(request)), new Date())
    schedule.track(row)
    return { message: 'OK', data: common(row) }
  })

  server.get<ByUuid>(`${PATH}/:uuid`, async ({ params }) => ({
    message: 'OK',
    data: quoted(checks.need(params.uuid)),
  }))

  server.put<ByUuid>(`${PATH}/:uuid`, async (request) => {
    checks.need(request.params.uuid)
    const row = checks.replace(request.params.uuid, readHealthCheck(readJsonObject(request)), new Date())
    if (row.scheduled === 1) schedule.track(row)
    return { message: 'OK', data: whole(row) }
  })

  server.delete<ByUuid>(`${PATH}/:uuid`, async ({ params }) => {
    schedule.forget(checks.remove(params.uuid).uuid)
    return { message: 'OK' }
  })
}

/** The fields up to modified_by: all that the answer to a creation shows. */
function common(row: HealthCheckRow) {
  const { uuid, name, status, customer_id, protocol, target, port, frequency } = row
  const { created_at, created_by, modified_at, modified_by } = row
  return {
    ...{ uuid, name, status, customer_id, protocol, target, port, frequency },
    ...{ created_at, created_by, modified_at, modified_by },
  }
}

/** With the fields that only some protocols have. */
function whole(row: HealthCheckRow) {
  return {
    ...common(row),
    ...(row.http_server_address !== null && { http_server_address: row.http_server_address }),
    ...(row.verify_ssl !== null && { verify_ssl: row.verify_ssl === 1 }),
  }
}

/** The oddity of get-details: customer_id, port, frequency and verify_ssl are quoted. */
function quoted(row: HealthCheckRow) {
  const details = whole(row)
  return {
    ...details,
    customer_id: String(details.customer_id),
    port: String(details.port),
    frequency: String(details.frequency),
    ...(details.verify_ssl !== undefined && { verify_ssl: String(details.verify_ssl) }),
  }
}
