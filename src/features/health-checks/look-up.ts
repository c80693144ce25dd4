import { ApiError } from '../../api/errors.ts'
import type { HealthCheck, HealthCheckBody, HealthChecks } from '../../api/health-checks.ts'
import type { Found } from '../../work/act.ts'
import { isSame } from './same-check.ts'

/** The checks that are what this body asks for, by name, target and the rest that makes a check another one. Throws ApiError. */
export async function alike(
  healthChecks: HealthChecks,
  body: HealthCheckBody,
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const { name, target, customerId } = body
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  const found: HealthCheck[] = []
  for await (const page of healthChecks.listAll(query, { signal }))
    found.push(...page.results.filter((check) => isSame(body, check)))
  return found
}

/** Whether the service has made this check: one like it that was not there `before`. Throws ApiError. */
export async function lookUpCreate(
  healthChecks: HealthChecks,
  body: HealthCheckBody,
  before: readonly string[],
): Promise<Found<HealthCheck>> {
  const made = (await alike(healthChecks, body)).find(({ uuid }) => !before.includes(uuid))
  // A row of a listing makes its parts when it is asked for them: what is kept of an outcome is the whole check.
  return made ? { outcome: await healthChecks.get(made.uuid) } : 'not-done'
}

/** Whether the service has changed the check to this, from what it was `before`. Throws ApiError. */
export async function lookUpEdit(
  healthChecks: HealthChecks,
  before: HealthCheck,
  body: HealthCheckBody,
): Promise<Found<HealthCheck>> {
  const now = await healthChecks.get(before.uuid)
  if (isLike(now, body)) return { outcome: now }
  return isLike(now, before) ? 'not-done' : 'unknown'
}

/** Whether the check is gone. Throws ApiError. */
export async function lookUpDelete(healthChecks: HealthChecks, uuid: string): Promise<Found<void>> {
  try {
    await healthChecks.get(uuid)
    return 'not-done'
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'not-found') return { outcome: undefined }
    throw error
  }
}

const FIELDS = ['name', 'customerId', 'protocol', 'target', 'port', 'frequency'] as const

/** What depends on the protocol counts where both say it. */
function isLike(
  check: HealthCheck,
  wanted: { [Field in keyof HealthCheckBody]?: HealthCheck[Field] },
): boolean {
  const { httpServerAddress, verifySsl } = wanted
  return (
    FIELDS.every((field) => check[field] === wanted[field]) &&
    (httpServerAddress === undefined ||
      check.httpServerAddress === undefined ||
      check.httpServerAddress === httpServerAddress) &&
    (verifySsl === undefined || check.verifySsl === undefined || check.verifySsl === verifySsl)
  )
}
