import { mapInSlices, UserError } from '@signalman/runtime'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { settleEach } from '../jobs/settle-each.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import { ALL_FIELDS, type Fields } from '../rules/change.ts'
import { COLUMNS, DELETE_COLUMN, toCells, UNKNOWN_CELL } from '../rules/columns.ts'
import { fieldMatches } from '../rules/compare.ts'
import type { BadCell, FileContent, Row, UnusualRow } from '../rules/file.ts'
import { readAddress, toFields } from '../rules/server-address.ts'

/**
 * Matches each row of a file to an existing check: by UUID, else to an identical check, else by name and customer if only one
 * check has them. A row with the UUID of a deleted check isn't matched by name. Reads the service's list only once. Throws
 * UserError and ApiError.
 */
export async function matchRows(
  { healthChecks }: Pick<Api, 'healthChecks'>,
  { rows, unusual }: Pick<FileContent, 'rows' | 'unusual'>,
) {
  const list = await readAllChecks(healthChecks)
  if (!list) throw new UserError(`${LIST_KEEPS_CHANGING} The file wasn’t compared.`)
  const { checks } = list
  const unlisted = await findUnlistedChecks(healthChecks, checks, [...rows, ...unusual])
  const matching = await createMatching([...checks, ...unlisted])
  await mapInSlices(rows, (row) => matching.match(row, matching.byUuid(row)))
  const unchangedRows: Row[] = []
  const bad: BadCell[] = []
  for (const unusualRow of unusual) {
    const check = matching.byUuid(unusualRow)
    const row = check && asUnchangedRow(unusualRow, check)
    if (!row) bad.push(...unusualRow.bad)
    else {
      matching.match(row, check)
      unchangedRows.push(row)
    }
  }
  await mapInSlices(matching.rowsWithoutCheck(rows), (row) => {
    const identical = matching.namesakes(row).find((check) => matchesExactly(row, check))
    matching.match(row, identical)
  })
  const deleted = await mapInSlices(matching.rowsWithoutCheck(rows), (row) =>
    row.uuid && matching.namesakes(row).length > 0 ? [reportDeletedCheck(row)] : [],
  )
  const withoutUuid = matching.rowsWithoutCheck(rows).filter(({ uuid }) => !uuid)
  const ambiguous = await mapInSlices(
    groupByName(withoutUuid, ({ patch }) => patch),
    (group) => matchUnique(matching, group),
  )
  for (const cell of [deleted, ambiguous].flat(2)) bad.push(cell)
  const badLinesSoFar = new Set(bad.map(({ line }) => line))
  const usableRows = rows.filter(({ line }) => !badLinesSoFar.has(line))
  const keptRows = usableRows.filter(({ isDeletion }) => !isDeletion)
  for (const cell of [
    ...findNameConflicts(keptRows, matching),
    ...matching.rowsWithoutCheck(usableRows).flatMap(reportMissingColumns),
  ])
    bad.push(cell)
  const badLines = new Set(bad.map(({ line }) => line))
  const reason = explainIncomplete(list)
  const uncertain = reason ? matching.rowsWithoutCheck(rows).filter(({ line }) => !badLines.has(line)) : []
  for (const { line } of uncertain) {
    bad.push({ line, column: 'name', reason: `This health check may already exist. ${reason}` })
    badLines.add(line)
  }
  return {
    /** Each row with its check. A row without a check creates one. */
    pairs: [...rows, ...unchangedRows]
      .filter(({ line }) => !badLines.has(line))
      .map((row) => ({ row, check: matching.checkByRow.get(row) })),
    all: checks,
    /** Problems with rows that can't be used, or that may be about an existing check. */
    bad,
  }
}

/** Whether a check has every value of a row. Values that the list doesn't show count as equal. */
function matchesExactly({ patch }: Row, check: HealthCheck): boolean {
  const shown = toFields(check, readAddress(check, { listShows: 'none' }))
  const wanted: Fields = { ...shown, ...patch }
  return ALL_FIELDS.every(
    (field) => !(field in patch) || shown[field] === undefined || fieldMatches(shown, wanted, field),
  )
}

/** Reports a row that matches no check, if it deletes one or the file lacks columns that a new check needs. */
function reportMissingColumns({ line, missingColumns, patch, isDeletion }: Row): BadCell[] {
  if (isDeletion) return [{ line, column: DELETE_COLUMN, reason: NOTHING_TO_DELETE }]
  if (missingColumns.length === 0) return []
  const whyUnmatched = patch.name ? 'No health check has this name' : 'The row has neither a name nor a UUID'
  return [
    { line, column: 'name', reason: `${whyUnmatched}. To create one, add ${missingColumns.join(', ')}.` },
  ]
}

const NOTHING_TO_DELETE = 'No health check matches this row, so there’s nothing to delete.'

/** The limit for reading unlisted checks one by one. If there are more, none are read. */
const MAX_DETAIL_READS = 5000

/** Reads checks that the file has but the list doesn't. A concurrent deletion may have moved them from one page to another. */
async function findUnlistedChecks(
  healthChecks: HealthChecks,
  checks: readonly HealthCheck[],
  rows: readonly Pick<Row, 'uuid'>[],
): Promise<HealthCheck[]> {
  const listed = new Set(checks.map(({ uuid }) => uuid.toLowerCase()))
  const missing = rows.flatMap(({ uuid }) => (uuid && !listed.has(uuid) ? [uuid] : []))
  if (missing.length > MAX_DETAIL_READS) return []
  const results = await settleEach([...new Set(missing)], (uuid) => healthChecks.get(uuid))
  return results.flatMap((result) => {
    // The address in the details may be a resolved one.
    if ('value' in result) return [{ ...result.value, httpServerAddress: undefined }]
    if (isNotFound(result.error)) return []
    throw result.error
  })
}

const nameKey = ({ name = '', customerId }: Pick<Row['patch'], 'name' | 'customerId'>): string =>
  JSON.stringify([foldName(name), customerId])

type Matching = Awaited<ReturnType<typeof createMatching>>

/** Tracks which check each row matches, and which checks are still unmatched. */
async function createMatching(checks: readonly HealthCheck[]) {
  const unmatched = new Map<string, HealthCheck>()
  const byName = new Map<string, HealthCheck[]>()
  await mapInSlices(checks, (check) => {
    unmatched.set(check.uuid.toLowerCase(), check)
    for (const key of [nameKey(check), nameKey({ name: check.name })]) {
      const namesakes = byName.get(key)
      if (namesakes) namesakes.push(check)
      else byName.set(key, [check])
    }
  })
  const checkByRow = new Map<Row, HealthCheck>()
  const rowByUuid = new Map<string, Row>()
  const isUnmatched = ({ uuid }: HealthCheck): boolean => unmatched.has(uuid.toLowerCase())
  return {
    checkByRow,
    /** The checks that now have a name and customer, with the row that each was matched to. */
    holders: (key: string) =>
      (byName.get(key) ?? []).map(({ uuid }) => ({ row: rowByUuid.get(uuid.toLowerCase()) })),
    byUuid: ({ uuid }: Pick<Row, 'uuid'>) => (uuid ? unmatched.get(uuid) : undefined),
    /** The unmatched checks with the row's name and customer, or with its name alone if the row has no customer. */
    namesakes: ({ patch }: Row) => (byName.get(nameKey(patch)) ?? []).filter(isUnmatched),
    rowsWithoutCheck: (rows: readonly Row[]) => rows.filter((row) => !checkByRow.has(row)),
    match(row: Row, check: HealthCheck | undefined): void {
      if (!check) return
      checkByRow.set(row, check)
      rowByUuid.set(check.uuid.toLowerCase(), row)
      unmatched.delete(check.uuid.toLowerCase())
    },
  }
}

/** Matches rows with the same name to a check. If there are several such rows or checks, reports the rows instead of guessing. */
function matchUnique(matching: Matching, group: readonly Row[]): BadCell[] {
  const [row, ...otherRows] = group
  const [check, ...otherChecks] = row ? matching.namesakes(row) : []
  if (!row || !check) return []
  if (otherRows.length + otherChecks.length > 0)
    return group.map(({ line }) => ({ line, column: 'name', reason: AMBIGUOUS }))
  matching.match(row, check)
  return []
}

const AMBIGUOUS = 'Several health checks have this name. Add a uuid column to say which one.'

export const reportDeletedCheck = ({ line }: Row): BadCell => ({
  line,
  column: 'uuid',
  reason:
    'No health check has this UUID, but another one has this name. To change that one, remove the UUID from the row.',
})

/**
 * Finds rows that take the name and customer of another row or check, also if another row deletes or renames that check: a job changes
 * its checks in no order, so the name may still be taken.
 */
function findNameConflicts(rows: readonly Row[], { checkByRow, holders }: Matching): BadCell[] {
  const keepsName = (row: Row): boolean => {
    const check = checkByRow.get(row)
    return check !== undefined && (row.patch.name === undefined || nameKey(check) === rowKey(row, check))
  }
  function findConflict(row: Row, key: string, first: Row | undefined): string | undefined {
    if (first) return describeConflict(first, row)
    const [holder] = holders(key)
    if (holder?.row && keepsName(holder.row) && !holder.row.isDeletion)
      return describeConflict(holder.row, row)
    if (holder?.row) return describeFreed(holder.row)
    return holder && checkByRow.has(row) ? NAME_TAKEN : undefined
  }
  const sameNameRows = rows.filter(keepsName)
  const renamedRows = rows.filter((row) => checkByRow.has(row) && !keepsName(row))
  // Rows that keep their check's name come first, so a conflict is reported for the row that would take the name.
  const firstRows = new Map<string, Row>()
  const bad: BadCell[] = []
  for (const row of [...sameNameRows, ...renamedRows, ...rows.filter((row) => !checkByRow.has(row))]) {
    const key = rowKey(row, checkByRow.get(row))
    const first = firstRows.get(key)
    if (!first) firstRows.set(key, row)
    if (keepsName(row)) continue
    const reason = findConflict(row, key, first)
    if (reason !== undefined) bad.push({ line: row.line, column: 'name', reason })
  }
  return bad
}

/** The name and customer that the row's check will have. */
const rowKey = ({ patch }: Row, check: HealthCheck | undefined): string =>
  nameKey({ name: patch.name ?? check?.name, customerId: patch.customerId ?? check?.customerId })

const describeConflict = ({ line, key }: Row, row: Row): string =>
  key === row.key
    ? `This is the same health check as in line ${line}.`
    : `Line ${line} has the same name and customer. Names must be unique within a customer.`

const describeFreed = ({ line, isDeletion }: Row): string =>
  `The health check that line ${line} ${isDeletion ? 'deletes' : 'renames'} has this name now. Import this row once that’s done.`

const NAME_TAKEN = 'Another health check of this customer already has this name.'

/** Groups by name and customer, and keeps the order. */
function groupByName<T>(
  items: readonly T[],
  getName: (item: T) => Pick<Row['patch'], 'name' | 'customerId'>,
): T[][] {
  return [...Map.groupBy(items, (item) => nameKey(getName(item))).values()]
}

/**
 * Converts an unusual row to one that leaves its check's settings unchanged. Undefined if the row isn't exactly as an export would
 * write it.
 */
function asUnchangedRow({ record, uuid, alerts }: UnusualRow, check: HealthCheck): Row | undefined {
  const cells = toCells(check, '')
  const isAsExported = COLUMNS.every(
    ({ input }, index) =>
      input === undefined ||
      input === 'uuid' ||
      input === 'alerts' ||
      !record.has(input) ||
      record.cell(input) === UNKNOWN_CELL ||
      record.cell(input) === cells[index],
  )
  if (!isAsExported) return undefined
  return {
    line: record.line,
    patch: {},
    missingColumns: [],
    key: uuid,
    uuid,
    alerts,
    changesOnlyAlerts: true,
  }
}
