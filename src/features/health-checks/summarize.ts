import type { HealthCheck } from '../../api/health-checks.ts'
import type { Api } from '../../api/service.ts'

export interface Summary {
  total: number
  unhealthy: number
  installing: number
  healthy: number
  /** The first ten that are unhealthy, by name. */
  down: readonly HealthCheck[]
}

const SHOWN = 10

/** Counts by status, and what is down: four small pages, whatever the number of checks. Throws ApiError. */
export async function summarize({ healthChecks }: Api): Promise<Summary> {
  const [all, unhealthy, installing, healthy] = await Promise.all([
    healthChecks.list({ limit: 1 }),
    healthChecks.list({ status: 'UNHEALTHY', limit: SHOWN }),
    healthChecks.list({ status: 'INSTALLING', limit: 1 }),
    healthChecks.list({ status: 'HEALTHY', limit: 1 }),
  ])
  return {
    total: all.total,
    unhealthy: unhealthy.total,
    installing: installing.total,
    healthy: healthy.total,
    down: unhealthy.results,
  }
}
