import type { HealthCheck, HealthChecks } from '../../api/health-checks.ts'

/**
 * The server address that somebody gave a check. Its details show one in any case: where none was given, the one that the
 * target's domain resolves to just now, and a write that sends it would keep the check on it for good. Its row in the
 * listing tells them apart: it shows what was given. Throws ApiError.
 */
export async function givenAddress(
  healthChecks: HealthChecks,
  check: HealthCheck,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (check.httpServerAddress === undefined) return undefined
  const { name, customerId, target } = check
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  for await (const page of healthChecks.listAll(query, { signal })) {
    const row = page.results.find(({ uuid }) => uuid === check.uuid)
    if (row) return row.httpServerAddress
  }
  return undefined
}

/** The check's details as they can be written back: with the server address only where it was given. Throws ApiError. */
export async function writable(
  healthChecks: HealthChecks,
  uuid: string,
  signal?: AbortSignal,
): Promise<HealthCheck> {
  const check = await healthChecks.get(uuid, signal)
  return { ...check, httpServerAddress: await givenAddress(healthChecks, check, signal) }
}
