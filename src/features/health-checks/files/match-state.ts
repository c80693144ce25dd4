import type { HealthCheck } from '../../../api/health-checks.ts'
import type { BadCell, Row } from './read-file.ts'

export interface MatchedRows {
  /** Each row with the check that it is about; without one it asks for a new check. */
  pairs: { row: Row; check: HealthCheck | undefined }[]
  /** Checks that no row is about. */
  unmatched: HealthCheck[]
  /** Of rows that cannot be used, or of which it is not certain what they are about. */
  bad: BadCell[]
}

const nameKey = ({ name, customerId }: { name: string; customerId?: number | undefined }): string =>
  JSON.stringify([name.toLowerCase(), customerId])

type MatchState = ReturnType<typeof createMatchState>

/** Which check each row has found so far, and which are free. */
export function createMatchState(checks: readonly HealthCheck[]) {
  const free = new Map(checks.map((check) => [check.uuid.toLowerCase(), check]))
  const byName = new Map(
    groupedBy(checks, (check) => check).map((some) => [some[0] ? nameKey(some[0]) : '', some]),
  )
  const found = new Map<Row, HealthCheck>()
  const isFree = ({ uuid }: HealthCheck): boolean => free.has(uuid.toLowerCase())
  return {
    found,
    byUuid: ({ uuid }: Pick<Row, 'uuid'>) => (uuid ? free.get(uuid) : undefined),
    namesakes: ({ body }: Row) => (byName.get(nameKey(body)) ?? []).filter(isFree),
    open: (rows: readonly Row[]) => rows.filter((row) => !found.has(row)),
    left: () => [...free.values()],
    take(row: Row, check: HealthCheck | undefined): void {
      if (!check) return
      found.set(row, check)
      free.delete(check.uuid.toLowerCase())
    },
  }
}

/** Of rows of one name: the only one takes the only check. Several that nothing tells apart are none of them certain. */
export function takeOnly(state: MatchState, some: readonly Row[]): BadCell[] {
  const [row, ...others] = some
  const [check, ...more] = row ? state.namesakes(row) : []
  if (!row || !check) return []
  if (others.length + more.length > 0)
    return some.map(({ line }) => ({ line, column: 'name', says: AMBIGUOUS }))
  state.take(row, check)
  return []
}

const AMBIGUOUS =
  'Several health checks of this customer have this name, so which one is meant is not certain. Say it by the column uuid.'

/** Those of one name and customer together, in order. */
export function groupedBy<T>(
  items: readonly T[],
  nameOf: (item: T) => { name: string; customerId?: number | undefined },
): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = nameKey(nameOf(item))
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}
