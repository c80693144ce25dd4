import type { HealthCheck, HealthCheckBody, HealthChecks } from '../../../api/health-checks.ts'
import { keyOf } from './read-file.ts'

/** A row of a file whose check the service has already. */
export interface Existing {
  line: number
  uuid: string
}

/** Walks the whole listing once, and gives page by page what of the rows (by key) is in it. Throws ApiError. */
export async function* existingAmong(
  healthChecks: HealthChecks,
  lines: ReadonlyMap<string, number>,
  signal?: AbortSignal,
): AsyncGenerator<Existing[]> {
  for await (const page of healthChecks.listAll({}, { signal })) {
    yield page.results.flatMap((check) => {
      const line = lines.get(keyOf(check))
      return line === undefined ? [] : [{ line, uuid: check.uuid }]
    })
  }
}

/** The check that this row asks for, if the service has it. Throws ApiError. */
export async function existingOf(
  healthChecks: HealthChecks,
  body: HealthCheckBody,
  signal?: AbortSignal,
): Promise<HealthCheck | undefined> {
  const { name, target, customerId } = body
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  const key = keyOf(body)
  for await (const page of healthChecks.listAll(query, { signal })) {
    const found = page.results.find((check) => keyOf(check) === key)
    if (found) return found
  }
  return undefined
}
