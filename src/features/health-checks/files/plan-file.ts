import { UserError } from '@signalman/runtime'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { findFault, MISSING, planChecks } from '../bulk/plan-checks.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import { FIELDS } from '../rules/fields.ts'
import type { LeftOut, Plan } from '../rules/plan.ts'
import { toAlertBody } from '../rules/recipients.ts'
import type { Row } from '../rules/row.ts'
import { type FileContent, type FileRow, listMissing, toNewSettings, toPatch } from './parse-file.ts'

const nameKey = ({
  name = '',
  customerId,
}: {
  name?: string | undefined
  customerId?: number | undefined
}): string => `${customerId} ${foldName(name)}`

/**
 * Plans the changes that make the service match a file. A row is about the check with its UUID, else about the only one with its name
 * (and customer, if it has one). If there is none, it creates one; `unknown` of those have a UUID. Throws UserError and ApiError.
 */
export async function planFile(
  api: Api,
  file: FileContent,
): Promise<Pick<Plan, 'rows' | 'leftOut' | 'unchanged'> & { readonly unknown: number }> {
  const list = await readAllChecks(api.healthChecks)
  if (!list) throw new UserError(LIST_KEEPS_CHANGING)
  // A check that the list hides would be created a second time.
  const incomplete = explainIncomplete(list)
  if (incomplete) throw new UserError(`${incomplete} ${MISSING}`)
  const { pairs, creations, leftOut } = matchRows(file.rows, list.checks)
  const planned = await planChecks(
    api,
    pairs.map(({ check }) => check),
    ({ settings }, index) => {
      const { row } = pairs[index] ?? {}
      const patch = row && toPatch(row, settings)
      if (!patch || typeof patch === 'string') return patch
      const { name, httpServerAddress: address, ...others } = patch
      // Nobody set an address by leaving the one of an export in the file.
      const isSet = address === null || (address !== undefined && address !== settings.httpServerAddress)
      const set = {
        ...others,
        // A row without a UUID finds its check by the name, also in another spelling.
        ...(row.uuid !== undefined && name !== undefined && { name }),
        ...(isSet && { httpServerAddress: address }),
      }
      const isRestored = row.environment !== undefined
      // A URL that is put back implies no port.
      const port = set.port ?? (isRestored ? settings.port : undefined)
      return { set: { ...set, port }, alerts: row.alerts?.map(toAlertBody), isRestored }
    },
    { toLine: (index) => pairs[index]?.row.line ?? 0 },
  )
  return {
    rows: [...planned.rows, ...creations.map(({ creation }) => creation)].sort(byLine),
    unchanged: planned.unchanged,
    leftOut: [...file.bad, ...leftOut, ...planned.leftOut].sort(byLine),
    // What was before a deletion is expected to name checks that don't exist.
    unknown: creations.filter(({ row }) => row.uuid !== undefined && row.environment === undefined).length,
  }
}

const byLine = (left: { line: number }, right: { line: number }): number => left.line - right.line

/** Finds the check that each row is about, and the rows that create one. */
function matchRows(rows: readonly FileRow[], checks: readonly HealthCheck[]) {
  const byUuid = new Map(checks.map((check) => [check.uuid.toLowerCase(), check]))
  const byName = Map.groupBy(checks, ({ name }) => foldName(name))
  const pairs: { row: FileRow; check: HealthCheck }[] = []
  const creations: { row: FileRow; creation: Row }[] = []
  const leftOut: LeftOut[] = []
  const found = rows.map((row) => ({ row, check: findCheck(row, byUuid, byName) }))
  const ofCheck = Map.groupBy(found, ({ check }) => check)
  // Two checks may have the same name and customer, but another one can't be created.
  const named = Map.groupBy(found, ({ row }) => rowKey(row))
  for (const { row, check } of found) {
    const others = (check ? ofCheck.get(check) : named.get(rowKey(row))) ?? []
    const reason = typeof check === 'string' ? check : findRepetition(row, check, others)
    if (reason !== undefined) leftOut.push({ ...row, reason })
    else if (typeof check === 'object') pairs.push({ row, check })
    else {
      const creation = toCreation(row)
      if (typeof creation === 'string') leftOut.push({ ...row, reason: creation })
      else creations.push({ row, creation })
    }
  }
  return { pairs, creations, leftOut }
}

const rowKey = ({ name, set }: FileRow): string =>
  nameKey({ name: set.name ?? name, customerId: set.customerId })

/** Rows about one check can't both be right, unless they say the same. */
function findRepetition(
  row: FileRow,
  check: HealthCheck | undefined,
  others: readonly { row: FileRow }[],
): string | undefined {
  const other = others.find((each) => each.row !== row)?.row
  if (!other) return undefined
  const say = ({ set, refused, alerts }: FileRow): string => JSON.stringify([set, refused, alerts])
  const isSame = others.every((each) => say(each.row) === say(row))
  if (isSame && others[0]?.row === row) return undefined
  return check
    ? `Line ${other.line} is about the same health check.`
    : `Line ${other.line} has the same name and customer.`
}

function findCheck(
  { uuid, name, set }: FileRow,
  byUuid: ReadonlyMap<string, HealthCheck>,
  byName: ReadonlyMap<string, HealthCheck[]>,
): HealthCheck | string | undefined {
  const namesakes = (byName.get(foldName(name)) ?? []).filter(
    ({ customerId }) => set.customerId === undefined || set.customerId === customerId,
  )
  const check = uuid === undefined ? undefined : byUuid.get(uuid)
  if (check) return check
  if (name === '') return uuid === undefined ? 'It has no name.' : 'No health check has this UUID.'
  if (namesakes.length > 1) return 'Several health checks have this name. Add their UUIDs.'
  return uuid === undefined || namesakes.length === 0
    ? namesakes[0]
    : 'No health check has this UUID, but another one has this name. To change that one, remove the UUID from the row.'
}

/** The row of a new check. A text says why it can't be created. */
function toCreation(row: FileRow): Row | string {
  const { line, name, alerts = [], environment, uuid: was } = row
  const set = toPatch(row, {})
  if (typeof set === 'string') return set
  if (row.hasLostAlerts) return 'alerts: The file doesn’t have them. Fill in the cell, or empty it.'
  const to = toNewSettings(set)
  const missing = listMissing(to)
  const named = set.customerId === undefined ? 'name' : 'name and customer'
  if (missing.length > 0)
    return `No health check has this ${named}. To create it, fill in ${missing.join(', ')}.`
  const fault = environment === undefined ? findFault(to, FIELDS) : undefined
  return fault ?? { do: 'create', line, name, to, alerts, ...(was !== undefined && { was }) }
}
