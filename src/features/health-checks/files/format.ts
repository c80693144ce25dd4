import type { Upload } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { CHECK_FIELDS, FIELDS } from '../rules/fields.ts'
import { sameAlerts } from '../rules/recipients.ts'
import type { Row } from '../rules/row.ts'
import type { Settings } from '../rules/settings.ts'

// The file that an export writes, an import reads, and that a change sends with what was before. All have the same columns.

/** What only the service sets. An import ignores it. */
const SERVICE_COLUMNS = ['status', 'created_at', 'created_by', 'modified_at', 'modified_by']

export const COLUMNS: readonly string[] = [
  'uuid',
  ...FIELDS.map((field) => CHECK_FIELDS[field].column),
  'alerts',
  ...SERVICE_COLUMNS,
]

export const isIgnored = (column: string): boolean => SERVICE_COLUMNS.includes(column)

/** Stands for an address from DNS. */
export const RESOLVE = 'resolve'

/** Stands for alerts that a cell can't hold, because they are unreadable or aren't only emails. */
export const UNKNOWN_CELL = '?'

type Exported = Settings &
  Partial<Pick<HealthCheck, 'status' | 'createdAt' | 'createdBy' | 'modifiedAt' | 'modifiedBy'>>

export const toCells = (
  uuid: string,
  check: Exported,
  alerts: readonly AlertBody[] | undefined,
): string[] => [
  uuid,
  ...FIELDS.map((field) => String(check[field] ?? '')),
  alerts ? toAlertCell(alerts) : UNKNOWN_CELL,
  check.status ?? '',
  check.createdAt?.toISOString() ?? '',
  check.createdBy ?? '',
  check.modifiedAt?.toISOString() ?? '',
  check.modifiedBy ?? '',
]

/** The alerts of a check in one cell: commas between recipients, semicolons between alerts. */
function toAlertCell(alerts: readonly (AlertBody & { unreadable?: number | undefined })[]): string {
  const cell = alerts.map(({ recipients }) => recipients.join(', ')).join('; ')
  const read = readAlertCell(cell)
  const isExact =
    !alerts.some(({ unreadable }) => unreadable) && Array.isArray(read) && sameAlerts(read, alerts)
  return isExact ? cell : UNKNOWN_CELL
}

/** Returns what is wrong with the cell as a text. */
export function readAlertCell(cell: string): AlertBody[] | string {
  const lists = cell.split(/[;\n]+/).map(parseRecipients)
  const [bad] = lists.flatMap((list) => list.bad)
  if (bad) return `“${bad.typed.slice(0, 60)}” ${bad.reason}.`
  return lists.flatMap(({ addresses }) =>
    addresses.length > 0 ? [{ type: 'EMAIL', recipients: addresses }] : [],
  )
}

export const HEADER: string = BOM + csvText([COLUMNS])

/** A file of checks as they were before a change. Importing it makes them so again. */
export async function toFile(
  name: string,
  title: string,
  rows: readonly Exclude<Row, { do: 'create' }>[],
): Promise<Upload> {
  const cells = rows.map(({ uuid, before: { settings, alerts, followsDns } }) =>
    toCells(uuid, followsDns ? { ...settings, httpServerAddress: RESOLVE } : settings, alerts),
  )
  const body = Buffer.from(HEADER + csvText(cells))
  return { name: `${name}.csv`, title: `Before: ${title}`, bytes: body.length, body }
}
