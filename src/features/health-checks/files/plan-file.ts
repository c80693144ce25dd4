import { mapInSlices, UserError, yieldWhenDue } from '@signalman/runtime'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { findFault, MISSING, planChecks } from '../bulk/plan-checks.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import { FIELDS } from '../rules/fields.ts'
import type { LeftOut, Plan } from '../rules/plan.ts'
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
  const { pairs, creations, leftOut } = await matchRows(file.rows, list.checks)
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

/** Finds the check that each row is about, and the rows that create one. Rows about the same one are left out: they can't all be right. */
async function matchRows(rows: readonly FileRow[], checks: readonly HealthCheck[]) {
  const known = await indexChecks(checks)
  const found = await mapInSlices(rows, (row) => ({ row, check: findCheck(row, known), name: rowKey(row) }))
  const byCheck = Map.groupBy(found, ({ check }) => check)
  // Two checks may have the same name and customer, but another one can't be created.
  const byName = Map.groupBy(found, ({ name }) => name)
  const pairs: { row: FileRow; check: HealthCheck }[] = []
  const creations: { row: FileRow; creation: Row }[] = []
  const leftOut: LeftOut[] = []
  for (const { row, check, name } of found) {
    const isKnown = typeof check === 'object'
    const alike = isKnown ? byCheck.get(check) : byName.get(name)
    const other = alike?.slice(0, 2).find((each) => each.row !== row)?.row
    const about = isKnown ? 'is about the same health check' : 'has the same name and customer'
    const planned =
      other && typeof check !== 'string' ? `Line ${other.line} ${about}.` : (check ?? toCreation(row))
    if (typeof planned === 'string') leftOut.push({ ...row, reason: planned })
    else if ('do' in planned) creations.push({ row, creation: planned })
    else pairs.push({ row, check: planned })
  }
  return { pairs, creations, leftOut }
}

const rowKey = ({ name, set }: FileRow): string =>
  nameKey({ name: set.name ?? name, customerId: set.customerId })

type KnownChecks = Awaited<ReturnType<typeof indexChecks>>

/** The checks of an account by UUID, and those with the same name, or the same name and customer. */
async function indexChecks(checks: readonly HealthCheck[]) {
  const byUuid = new Map<string, HealthCheck>()
  const byName = new Map<string, HealthCheck[]>()
  const byNameAndCustomer = new Map<string, HealthCheck[]>()
  for (const check of checks) {
    // Folding the names of a large account takes a while.
    await yieldWhenDue()
    byUuid.set(check.uuid.toLowerCase(), check)
    addTo(byName, foldName(check.name), check)
    addTo(byNameAndCustomer, nameKey(check), check)
  }
  return { byUuid, byName, byNameAndCustomer }
}

function addTo<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

function findCheck(
  { uuid, name, set: { customerId } }: FileRow,
  { byUuid, byName, byNameAndCustomer }: KnownChecks,
): HealthCheck | string | undefined {
  const check = uuid === undefined ? undefined : byUuid.get(uuid)
  if (check) return check
  if (name === '') return uuid === undefined ? 'It has no name.' : 'No health check has this UUID.'
  const namesakes =
    (customerId === undefined
      ? byName.get(foldName(name))
      : byNameAndCustomer.get(nameKey({ name, customerId }))) ?? []
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
