import { mapInSlices, UserError } from '@signalman/runtime'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { everyCheck, LIST_KEEPS_CHANGING, whyIncomplete } from '../every-check.ts'
import { settleEach } from '../jobs/settle-each.ts'
import { ALL_FIELDS, type Fields } from '../rules/change.ts'
import { COLUMNS, NOT_KNOWN, toCells } from '../rules/columns.ts'
import { fieldIsAs } from '../rules/compare.ts'
import type { BadCell, FileContent, Row, UnusualRow } from '../rules/file.ts'
import { readAddress, toFields } from '../rules/server-address.ts'

/**
 * Finds the check for each row in one pass over the list: the one with its UUID, else an identical one, else the only one
 * with its name and customer that no other row matches. A row with the UUID of a deleted check doesn't match another one by
 * name. Throws UserError and ApiError.
 */
export async function matchRows(
  { healthChecks }: Pick<Api, 'healthChecks'>,
  { rows, unusual }: Pick<FileContent, 'rows' | 'unusual'>,
  signal?: AbortSignal,
) {
  const every = await everyCheck(healthChecks, signal)
  if (!every) throw new UserError(`${LIST_KEEPS_CHANGING} The file wasn’t compared.`)
  const { checks } = every
  const missed = await findMissedChecks(healthChecks, checks, [...rows, ...unusual], signal)
  const state = await createMatchState([...checks, ...missed])
  await mapInSlices(rows, (row) => state.take(row, state.byUuid(row)))
  const asTheyAre: Row[] = []
  const bad: BadCell[] = []
  for (const one of unusual) {
    const check = state.byUuid(one)
    const row = check && asUnchangedRow(one, check)
    if (!row) bad.push(...one.bad)
    else {
      state.take(row, check)
      asTheyAre.push(row)
    }
  }
  await mapInSlices(state.open(rows), (row) => {
    const same = state.namesakes(row).find((one) => matchesExactly(row, one))
    state.take(row, same)
  })
  const gone = await mapInSlices(state.open(rows), (row) =>
    row.uuid && state.namesakes(row).length > 0 ? [checkDeleted(row)] : [],
  )
  const unnamed = state.open(rows).filter(({ uuid }) => !uuid)
  const unclear = await mapInSlices(
    groupBy(unnamed, ({ patch }) => patch),
    (some) => matchUnique(state, some),
  )
  for (const one of [gone, unclear].flat(2)) bad.push(one)
  const isBad = new Set(bad.map(({ line }) => line))
  const named = rows.filter(({ line }) => !isBad.has(line))
  for (const one of [...matchSameName(named, state), ...state.open(named).flatMap(missingColumns)])
    bad.push(one)
  const badLines = new Set(bad.map(({ line }) => line))
  const why = whyIncomplete(every)
  const unsure = why ? state.open(rows).filter(({ line }) => !badLines.has(line)) : []
  for (const { line } of unsure) {
    bad.push({ line, column: 'name', says: `This health check may already exist. ${why}` })
    badLines.add(line)
  }
  return {
    /** Each row with its check; without one, it creates a check. */
    pairs: [...rows, ...asTheyAre]
      .filter(({ line }) => !badLines.has(line))
      .map((row) => ({ row, check: state.found.get(row) })),
    /** Checks that no row is about. */
    unmatched: state.left(),
    every: checks,
    /** Rows that can't be used, or whose check isn't certain. */
    bad,
  }
}

/** Whether a check has every value of a row; values that the list doesn't show count as equal. */
function matchesExactly({ patch }: Row, check: HealthCheck): boolean {
  const shown = toFields(check, readAddress(check, undefined, 'unclear'))
  const wanted: Fields = { ...shown, ...patch }
  return ALL_FIELDS.every(
    (field) => !(field in patch) || shown[field] === undefined || fieldIsAs(shown, wanted, field),
  )
}

/** A row without a check, in a file that lacks columns for creating one. */
function missingColumns({ line, lacks, patch }: Row): BadCell[] {
  if (lacks.length === 0) return []
  const none = patch.name ? 'No health check has this name' : 'The row has neither a name nor a UUID'
  return [{ line, column: 'name', says: `${none}. To create one, add ${lacks.join(', ')}.` }]
}

/** Up to how many rows the checks are read one by one. */
const MOST_ASKED = 5000

/** Checks that rows name by UUID but that no page has: a concurrent deletion may have moved them. */
async function findMissedChecks(
  healthChecks: HealthChecks,
  checks: readonly HealthCheck[],
  rows: readonly Pick<Row, 'uuid'>[],
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const met = new Set(checks.map(({ uuid }) => uuid.toLowerCase()))
  const unmet = rows.flatMap(({ uuid }) => (uuid && !met.has(uuid) ? [uuid] : []))
  if (unmet.length > MOST_ASKED) return []
  const tries = await settleEach([...new Set(unmet)], (uuid) => healthChecks.get(uuid, signal))
  return tries.flatMap((tried) => {
    // An address in the details may have been resolved.
    if ('value' in tried) return [{ ...tried.value, httpServerAddress: undefined }]
    if (tried.error instanceof ApiError && tried.error.kind === 'not-found') return []
    throw tried.error
  })
}

const nameKey = ({ name = '', customerId }: Pick<Row['patch'], 'name' | 'customerId'>): string =>
  JSON.stringify([name.toLowerCase(), customerId])

type MatchState = Awaited<ReturnType<typeof createMatchState>>

/** The check that each row matches so far, and the unmatched checks. */
async function createMatchState(checks: readonly HealthCheck[]) {
  const free = new Map<string, HealthCheck>()
  const byName = new Map<string, HealthCheck[]>()
  await mapInSlices(checks, (check) => {
    free.set(check.uuid.toLowerCase(), check)
    for (const key of [nameKey(check), nameKey({ name: check.name })]) {
      const some = byName.get(key)
      if (some) some.push(check)
      else byName.set(key, [check])
    }
  })
  const found = new Map<Row, HealthCheck>()
  const isFree = ({ uuid }: HealthCheck): boolean => free.has(uuid.toLowerCase())
  return {
    found,
    byUuid: ({ uuid }: Pick<Row, 'uuid'>) => (uuid ? free.get(uuid) : undefined),
    /** Without a customer in the row, those of any customer. */
    namesakes: ({ patch }: Row) => (byName.get(nameKey(patch)) ?? []).filter(isFree),
    open: (rows: readonly Row[]) => rows.filter((row) => !found.has(row)),
    left: () => [...free.values()],
    take(row: Row, check: HealthCheck | undefined): void {
      if (!check) return
      found.set(row, check)
      free.delete(check.uuid.toLowerCase())
    },
  }
}

/** Rows with one name: a single row matches a single check. If there are several, none is certain. */
function matchUnique(state: MatchState, some: readonly Row[]): BadCell[] {
  const [row, ...others] = some
  const [check, ...more] = row ? state.namesakes(row) : []
  if (!row || !check) return []
  if (others.length + more.length > 0)
    return some.map(({ line }) => ({ line, column: 'name', says: AMBIGUOUS }))
  state.take(row, check)
  return []
}

const AMBIGUOUS = 'Several health checks have this name. Add a uuid column to say which one.'

export const checkDeleted = ({ line }: Row): BadCell => ({
  line,
  column: 'uuid',
  says: 'No health check has this UUID, but another one has this name. To change that one, remove the UUID from the row.',
})

/** Rows whose name and customer another row or check already has: the service would refuse them halfway. */
function matchSameName(rows: readonly Row[], { found, namesakes }: MatchState): BadCell[] {
  const isNamed = (row: Row): boolean => {
    const check = found.get(row)
    return check !== undefined && (row.patch.name === undefined || nameKey(check) === rowKey(row, check))
  }
  const named = rows.filter(isNamed)
  const renamed = rows.filter((row) => found.has(row) && !isNamed(row))
  const firsts = new Map<string, Row>()
  const bad: BadCell[] = []
  for (const row of [...named, ...renamed, ...rows.filter((row) => !found.has(row))]) {
    const key = rowKey(row, found.get(row))
    const first = firsts.get(key)
    if (!first) firsts.set(key, row)
    if (isNamed(row)) continue
    if (first) bad.push({ line: row.line, column: 'name', says: sameAsLine(first, row) })
    else if (found.has(row) && namesakes(row).length > 0)
      bad.push({ line: row.line, column: 'name', says: NAME_TAKEN })
  }
  return bad
}

/** The name and customer that the row's check will have. */
const rowKey = ({ patch }: Row, check: HealthCheck | undefined): string =>
  nameKey({ name: patch.name ?? check?.name, customerId: patch.customerId ?? check?.customerId })

const sameAsLine = ({ line, key }: Row, row: Row): string =>
  key === row.key
    ? `This is the same health check as in line ${line}.`
    : `Line ${line} has the same name and customer. Names must be unique within a customer.`

const NAME_TAKEN = 'Another health check of this customer already has this name.'

/** Grouped by name and customer, in order. */
function groupBy<T>(
  items: readonly T[],
  nameOf: (item: T) => Pick<Row['patch'], 'name' | 'customerId'>,
): T[][] {
  return [...Map.groupBy(items, (item) => nameKey(nameOf(item))).values()]
}

/** The row with its check unchanged, if it has exactly the exported values, even ones that can't be created here. */
function asUnchangedRow({ record, uuid, alerts }: UnusualRow, check: HealthCheck): Row | undefined {
  const cells = toCells(check, '')
  const isAsExported = COLUMNS.every(
    ({ input }, index) =>
      input === undefined ||
      input === 'uuid' ||
      input === 'alerts' ||
      !record.has(input) ||
      record.cell(input) === NOT_KNOWN ||
      record.cell(input) === cells[index],
  )
  if (!isAsExported) return undefined
  return { line: record.line, patch: {}, lacks: [], key: uuid, uuid, alerts, isAsItIs: true }
}
