import type { HealthCheck, HealthChecks } from '../../../api/health-checks.ts'
import { isSame } from '../same-check.ts'
import { createMatchState, groupedBy, type MatchedRows, takeOnly } from './match-state.ts'
import type { Row } from './read-file.ts'

/**
 * Finds the check that each row is about, in one walk through the listing: the one with its UUID, else one just like it, else
 * the only one of its name and customer that no other row is about. Throws ApiError.
 */
export async function matchRows(
  healthChecks: HealthChecks,
  rows: readonly Row[],
  signal?: AbortSignal,
): Promise<MatchedRows> {
  const state = createMatchState(await everyCheck(healthChecks, signal))
  for (const row of rows) state.take(row, state.byUuid(row))
  for (const row of state.open(rows))
    state.take(
      row,
      state.namesakes(row).find((one) => isSame(row.body, one)),
    )
  const ambiguous = groupedBy(state.open(rows), ({ body }) => body).flatMap((some) => takeOnly(state, some))
  const bad = new Set(ambiguous.map(({ line }) => line))
  return {
    pairs: rows.filter(({ line }) => !bad.has(line)).map((row) => ({ row, check: state.found.get(row) })),
    unmatched: state.left(),
    ambiguous,
  }
}

async function everyCheck(healthChecks: HealthChecks, signal?: AbortSignal): Promise<HealthCheck[]> {
  const checks: HealthCheck[] = []
  for await (const page of healthChecks.listAll({}, { signal })) checks.push(...page.results)
  return checks
}
