import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import { readHealthCheck } from './health-check-body.ts'
import { selectAllFields, selectCommonFields, selectDetailFields } from './health-check-json.ts'
import { listPage } from './health-check-listing.ts'
import type { HealthCheckStore } from './health-check-store.ts'
import type { Server } from './http.ts'
import { readJsonObject } from './read-body.ts'

const PATH = '/healthcheck/v1/healthchecks'
/** How long a new check is being installed. */
const INSTALLING_MS = 1000

interface ByUuid {
  Params: { uuid: string }
}

/** Adds the routes for health checks. They respond 200 with `message` and, except for DELETE, `data`. */
export function addHealthCheckRoutes(
  server: Server,
  {
    db,
    environment,
    checks,
    checking,
    closing,
  }: {
    db: Database
    environment: string
    checks: HealthCheckStore
    checking: boolean
    closing: AbortSignal
  },
): void {
  server.get<{ Querystring: Record<string, unknown> }>(PATH, async ({ query }) => {
    const page = listPage(db, environment, query)
    return {
      message: 'OK',
      data: { ...page, results: page.results.map(selectAllFields) },
    }
  })

  server.post(PATH, async (request) => {
    const row = checks.create(readHealthCheck(readJsonObject(request)), new Date())
    if (checking)
      wait(INSTALLING_MS, undefined, { signal: closing }).then(
        () => checks.finishInstalling(row.uuid),
        () => {},
      )
    return { message: 'OK', data: selectCommonFields(row) }
  })

  server.get<ByUuid>(`${PATH}/:uuid`, async ({ params }) => ({
    message: 'OK',
    data: selectDetailFields(checks.findOrThrow(params.uuid)),
  }))

  server.put<ByUuid>(`${PATH}/:uuid`, async (request) => {
    checks.findOrThrow(request.params.uuid)
    const row = checks.replace(request.params.uuid, readHealthCheck(readJsonObject(request)), new Date())
    return { message: 'OK', data: selectAllFields(row) }
  })

  server.delete<ByUuid>(`${PATH}/:uuid`, async ({ params }) => {
    checks.remove(params.uuid)
    return { message: 'OK' }
  })
}
