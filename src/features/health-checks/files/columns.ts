import { UserError } from '@signalman/runtime'
import { readRecipients } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'

/** The columns that a file is written with, in order; those with `input` are read again, under the form's field name. */
interface Column {
  name: string
  of: (check: HealthCheck, alerts: string) => string | number | boolean | Date | undefined
  input?: string
  isRequired?: true
}

export const COLUMNS: readonly Column[] = [
  { name: 'name', of: (check) => check.name, input: 'name', isRequired: true },
  { name: 'protocol', of: (check) => check.protocol, input: 'protocol', isRequired: true },
  { name: 'target', of: (check) => check.target, input: 'target', isRequired: true },
  { name: 'port', of: (check) => check.port, input: 'port', isRequired: true },
  { name: 'frequency', of: (check) => check.frequency, input: 'frequency', isRequired: true },
  { name: 'customer_id', of: (check) => check.customerId, input: 'customer', isRequired: true },
  { name: 'http_server_address', of: (check) => check.httpServerAddress, input: 'server-address' },
  { name: 'verify_ssl', of: (check) => check.verifySsl, input: 'verify-ssl' },
  { name: 'status', of: (check) => check.status },
  { name: 'uuid', of: (check) => check.uuid, input: 'uuid' },
  { name: 'created_at', of: (check) => check.createdAt },
  { name: 'created_by', of: (check) => check.createdBy },
  { name: 'modified_at', of: (check) => check.modifiedAt },
  { name: 'modified_by', of: (check) => check.modifiedBy },
  { name: 'alerts', of: (_, alerts) => alerts, input: 'alerts' },
]

export const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name)

export const REQUIRED: readonly string[] = COLUMNS.flatMap(({ name, isRequired }) =>
  isRequired ? [name] : [],
)

export const OPTIONAL: readonly string[] = COLUMNS.flatMap(({ name, input, isRequired }) =>
  input && !isRequired ? [name] : [],
)

/** A check as the cells of a row; `alerts` is its cell of alerts. */
export const cellsOf = (check: HealthCheck, alerts: string): string[] =>
  COLUMNS.map(({ of }) => {
    const value = of(check, alerts)
    return value instanceof Date ? value.toISOString() : String(value ?? '')
  })

/** The column that a form's field is read from. */
export const columnOf = (field: string): string => COLUMNS.find(({ input }) => input === field)?.name ?? field

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['customer', 'customer_id'],
  ['server_address', 'http_server_address'],
  ['interval', 'frequency'],
  ['ssl', 'verify_ssl'],
])

const normal = (head: string): string => {
  const name = head
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return ALIASES.get(name) ?? name
}

/**
 * Field name of the form → which cell of a row holds it. Case, spaces and hyphens in the head do not count; columns that
 * are none of ours are passed over. Throws UserError for a column that is missing or there twice.
 */
export function readHead(head: readonly string[]): ReadonlyMap<string, number> {
  const names = head.map(normal)
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UserError(
      `The first line must name the columns, and lacks ${missing.join(', ')}. Needed are ${REQUIRED.join(', ')}; ${OPTIONAL.join(' and ')} can be left out. Other columns do not matter.`,
    )
  const inputs = COLUMNS.flatMap(({ name, input }) => (input ? [[name, input] as const] : []))
  const twice = inputs.filter(([name]) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice.length > 0)
    throw new UserError(
      `The first line names ${twice.map(([name]) => name).join(', ')} twice. Keep one of each.`,
    )
  return new Map(
    inputs.flatMap(([name, input]) => (names.includes(name) ? [[input, names.indexOf(name)]] : [])),
  )
}

/** The values of an entry by the names of the form's fields; what is no column of ours is passed over. */
export function inputsOf(
  entries: readonly (readonly [name: string, value: unknown])[],
): ReadonlyMap<string, unknown> {
  const inputs = new Map(COLUMNS.flatMap(({ name, input }) => (input ? [[name, input] as const] : [])))
  return new Map(
    entries.flatMap(([name, value]) => {
      const input = inputs.get(normal(name))
      return input ? [[input, value] as const] : []
    }),
  )
}

/** Stands for alerts that could not be read whole: whoever reads it back leaves them as they are. */
const UNREADABLE = '?'

/** The alerts of a check in one cell: commas between the recipients of one, semicolons between alerts. */
export const alertCell = (alerts: readonly Alert[]): string =>
  isReadBack(alerts) ? cellOf(alerts) : UNREADABLE

const cellOf = (alerts: readonly Alert[]): string =>
  alerts.map(({ recipients }) => recipients.join(', ')).join('; ')

/** Whether a file can say these alerts: whoever reads it back gets the same ones. */
export function isReadBack(alerts: readonly Alert[]): boolean {
  if (alerts.some(({ type, unreadable }) => unreadable || (type || 'EMAIL') !== 'EMAIL')) return false
  const read = readAlertCell(cellOf(alerts))
  const found = 'alerts' in read ? (read.alerts ?? []) : []
  const listsOf = (some: readonly Pick<AlertBody, 'recipients'>[]): string =>
    JSON.stringify(some.map(({ recipients }) => recipients))
  return listsOf(found) === listsOf(alerts)
}

/** What a cell of alerts asks for; undefined to leave them as they are, or what is wrong with it. */
export function readAlertCell(cell: string): { alerts: AlertBody[] | undefined } | { says: string } {
  if (cell.trim() === UNREADABLE) return { alerts: undefined }
  const alerts: AlertBody[] = []
  for (const one of cell.split(/[;\n]+/)) {
    const { addresses, bad } = readRecipients(one)
    const [first] = bad
    if (first) return { says: `“${first.typed.slice(0, 60)}” ${first.reason}.` }
    if (addresses.length > 0) alerts.push({ type: 'EMAIL', recipients: addresses })
  }
  return { alerts }
}
