import type { HealthCheck, HealthChecks } from '../../../api/health-checks.ts'
import { isSame } from '../same-check.ts'
import { createPairing, groupedBy, type Paired, takeOnly } from './pairing.ts'
import type { Row } from './read-file.ts'

/**
 * Finds the check that each row is about, in one walk through the listing: the one with its UUID, else one just like it, else
 * the only one of its name and customer that no other row is about. Throws ApiError.
 */
export async function pairUp(
  healthChecks: HealthChecks,
  rows: readonly Row[],
  signal?: AbortSignal,
): Promise<Paired> {
  const pairing = createPairing(await everyCheck(healthChecks, signal))
  for (const row of rows) pairing.take(row, pairing.byUuid(row))
  for (const row of pairing.open(rows))
    pairing.take(
      row,
      pairing.namesakes(row).find((one) => isSame(row.body, one)),
    )
  const ambiguous = groupedBy(pairing.open(rows), ({ body }) => body).flatMap((some) =>
    takeOnly(pairing, some),
  )
  const bad = new Set(ambiguous.map(({ line }) => line))
  return {
    pairs: rows.filter(({ line }) => !bad.has(line)).map((row) => ({ row, check: pairing.found.get(row) })),
    unpaired: pairing.left(),
    ambiguous,
  }
}

async function everyCheck(healthChecks: HealthChecks, signal?: AbortSignal): Promise<HealthCheck[]> {
  const checks: HealthCheck[] = []
  for await (const page of healthChecks.listAll({}, { signal })) checks.push(...page.results)
  return checks
}
