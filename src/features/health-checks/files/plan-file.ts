import { UserError } from '@signalman/runtime'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { findFault, MISSING, planChecks } from '../many/plan.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import type { LeftOut, Plan } from '../rules/plan.ts'
import { toAlertBody } from '../rules/recipients.ts'
import type { Row } from '../rules/row.ts'
import { type FileContent, type FileRow, listMissing, toNewSettings } from './read-file.ts'

const nameKey = ({
  name = '',
  customerId,
}: {
  name?: string | undefined
  customerId?: number | undefined
}): string => `${customerId} ${foldName(name)}`

/**
 * Plans the changes that make the service match a file. A row is about the check with its UUID, else about the only one with its name
 * (and customer, if it has one). If there is none, it creates one. Throws UserError and ApiError.
 */
export async function planFile(
  api: Api,
  file: FileContent,
): Promise<Pick<Plan, 'rows' | 'leftOut' | 'unchanged'>> {
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
      const { name, httpServerAddress: address, ...others } = row?.set ?? {}
      // Nobody set an address by leaving the one of an export in the file.
      const isSet = address === null || (address !== undefined && address !== settings.httpServerAddress)
      const set = {
        ...others,
        // A row without a UUID finds its check by the name, also in another spelling.
        ...(row?.uuid !== undefined && name !== undefined && { name }),
        ...(isSet && { httpServerAddress: address }),
      }
      return { set, alerts: row?.alerts?.map(toAlertBody) }
    },
    { toLine: (index) => pairs[index]?.row.line ?? 0 },
  )
  return {
    rows: [...planned.rows, ...creations].sort(byLine),
    unchanged: planned.unchanged,
    leftOut: [...file.bad, ...leftOut, ...planned.leftOut].sort(byLine),
  }
}

const byLine = (left: { line: number }, right: { line: number }): number => left.line - right.line

/** Finds the check that each row is about, and the rows that create one. */
function matchRows(rows: readonly FileRow[], checks: readonly HealthCheck[]) {
  const byUuid = new Map(checks.map((check) => [check.uuid.toLowerCase(), check]))
  const byName = Map.groupBy(checks, ({ name }) => foldName(name))
  const pairs: { row: FileRow; check: HealthCheck }[] = []
  const creations: Row[] = []
  const leftOut: LeftOut[] = []
  const lines = new Map<string, number>()
  for (const row of rows) {
    const found = findCheck(row, byUuid, byName)
    const name = nameKey({ name: row.set.name ?? row.name, customerId: row.set.customerId })
    // Two checks may have the same name and customer, but another one can't be created.
    const key = typeof found === 'object' ? found.uuid : name
    const reason = typeof found === 'string' ? found : findFileFault(row, found, lines.get(key))
    lines.set(key, row.line).set(name, row.line)
    if (reason !== undefined) leftOut.push({ ...row, reason })
    else if (typeof found === 'object') pairs.push({ row, check: found })
    else creations.push(toCreation(row))
  }
  return { pairs, creations, leftOut }
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

const toCreation = ({ line, name, set, alerts = [] }: FileRow): Row => ({
  do: 'create',
  line,
  name,
  to: toNewSettings({ set }),
  alerts,
})

/** `first`: the earlier line about the same check, or with the same name and customer. */
function findFileFault(
  row: FileRow,
  check: HealthCheck | undefined,
  first: number | undefined,
): string | undefined {
  if (first !== undefined)
    return check
      ? `Line ${first} is about the same health check.`
      : `Line ${first} has the same name and customer.`
  return check ? undefined : findCreationFault(row)
}

function findCreationFault(row: FileRow): string | undefined {
  const missing = listMissing(row)
  const named = row.set.customerId === undefined ? 'name' : 'name and customer'
  if (missing.length > 0)
    return `No health check has this ${named}. To create it, fill in ${missing.join(', ')}.`
  return findFault(toNewSettings(row), row.set)
}
