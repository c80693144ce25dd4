import type { HealthCheck } from '../../api/health-checks.ts'
import type { Api } from '../../api/service.ts'

/** How many health checks there are, in all and by status. */
export interface Counts {
  total: number
  unhealthy: number
  installing: number
  healthy: number
  /** The first unhealthy checks, by name. */
  down: readonly HealthCheck[]
}

const SHOWN = 5

/** Makes four small listings, however many checks there are. Throws ApiError, `cancelled` when `signal` ends it. */
export async function countHealth({ healthChecks }: Api, signal: AbortSignal): Promise<Counts> {
  const count = async (status?: string): Promise<number> =>
    (await healthChecks.list({ limit: 1, ...(status && { status }) }, signal)).total
  const [total, { total: unhealthy, results: down }, installing, healthy] = await Promise.all([
    count(),
    healthChecks.list({ status: 'UNHEALTHY', limit: SHOWN }, signal),
    count('INSTALLING'),
    count('HEALTHY'),
  ])
  return { total, unhealthy, installing, healthy, down }
}
