import { ApiError } from '../../../api/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../api/health-checks.ts'
import { counted } from '../../../domain/wording.ts'
import { UserError } from '../../../errors.ts'
import { settleEach } from '../changes/settle-each.ts'
import { everyCheck, UNSTEADY } from '../every-check.ts'
import { isSame } from '../same-check.ts'
import { writable } from '../server-address.ts'
import { asExported } from './as-exported.ts'
import { createMatchState, groupedBy, type MatchedRows, takeOnly } from './match-state.ts'
import type { BadCell, FileContent, Row } from './read-file.ts'

/**
 * Finds the check that each row is about, in one walk through the listing: the one with its UUID, else one just like it, else
 * the only one of its name and customer that no other row is about. Throws UserError and ApiError.
 */
export async function matchRows(
  healthChecks: HealthChecks,
  { rows, unusual }: Pick<FileContent, 'rows' | 'unusual'>,
  signal?: AbortSignal,
): Promise<MatchedRows> {
  const every = await everyCheck(healthChecks, signal)
  if (!every) throw new UserError(`${UNSTEADY} Nothing was compared.`)
  const { checks, unreadable } = every
  const state = createMatchState([
    ...checks,
    ...(await missedIn(healthChecks, checks, [...rows, ...unusual], signal)),
  ])
  for (const row of rows) state.take(row, state.byUuid(row))
  const asTheyAre: Row[] = []
  const bad: BadCell[] = []
  for (const one of unusual) {
    const check = state.byUuid(one)
    const row = check && asExported(one, check)
    if (!row) bad.push(...one.bad)
    else {
      state.take(row, check)
      asTheyAre.push(row)
    }
  }
  for (const row of state.open(rows))
    state.take(
      row,
      state.namesakes(row).find((one) => isSame(row.body, one)),
    )
  const ambiguous = groupedBy(state.open(rows), ({ body }) => body).flatMap((some) => takeOnly(state, some))
  const unsure = unreadable > 0 ? state.open(rows).map(({ line }) => mayBeThere(line, unreadable)) : []
  bad.push(...ambiguous, ...unsure.filter(({ line }) => !ambiguous.some((one) => one.line === line)))
  const badLines = new Set(bad.map(({ line }) => line))
  return {
    pairs: [...rows, ...asTheyAre]
      .filter(({ line }) => !badLines.has(line))
      .map((row) => ({ row, check: state.found.get(row) })),
    unmatched: state.left(),
    bad,
  }
}

/** Of so many rows the checks are asked for one by one. */
const MOST_ASKED = 5000

/** Checks that rows name by their UUID and that stand in no page: one deleted just then may have moved them out of the next. */
async function missedIn(
  healthChecks: HealthChecks,
  checks: readonly HealthCheck[],
  rows: readonly Pick<Row, 'uuid'>[],
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const met = new Set(checks.map(({ uuid }) => uuid.toLowerCase()))
  const unmet = rows.flatMap(({ uuid }) => (uuid && !met.has(uuid) ? [uuid] : []))
  if (unmet.length > MOST_ASKED) return []
  const tries = await settleEach([...new Set(unmet)], (uuid) => writable(healthChecks, uuid, signal))
  return tries.flatMap((tried) => {
    if ('value' in tried) return [tried.value]
    if (tried.error instanceof ApiError && tried.error.kind === 'not-found') return []
    throw tried.error
  })
}

const mayBeThere = (line: number, unreadable: number): BadCell => ({
  line,
  column: 'name',
  says: `It may be there already: the service lists ${counted(unreadable, 'health check')} in a form that is not understood here.`,
})
