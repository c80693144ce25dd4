import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { closestWord } from '../../../domain/mistyped-word.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Address } from './change.ts'
import { CHECK_FIELDS, FIELDS } from './fields.ts'
import type { UnusedColumns } from './file.ts'

/** A column of an exported file. If it has an `input`, an import reads it as the form field with that name. */
interface Column {
  name: string
  value: (check: HealthCheck, alerts: string) => string | number | boolean | Date | undefined
  input?: string
  isRequired?: boolean
}

/** In the order of an exported file. */
export const COLUMNS: readonly Column[] = [
  ...FIELDS.map((field) => ({
    name: CHECK_FIELDS[field].column,
    value: (check: HealthCheck) => check[field],
    input: field,
    // A field that only some protocols have is optional.
    isRequired: !CHECK_FIELDS[field].protocols,
  })),
  { name: 'status', value: (check) => check.status },
  { name: 'uuid', value: (check) => check.uuid, input: 'uuid' },
  { name: 'created_at', value: (check) => check.createdAt },
  { name: 'created_by', value: (check) => check.createdBy },
  { name: 'modified_at', value: (check) => check.modifiedAt },
  { name: 'modified_by', value: (check) => check.modifiedBy },
  { name: 'alerts', value: (_, alerts) => alerts, input: 'alerts' },
]

export const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name)

export const REQUIRED_COLUMNS: readonly string[] = COLUMNS.flatMap(({ name, isRequired }) =>
  isRequired ? [name] : [],
)

/** A column that only an import reads: whether to delete the check. */
export const DELETE_COLUMN = 'delete'

export const OPTIONAL_COLUMNS: readonly string[] = [
  ...COLUMNS.flatMap(({ name, input, isRequired }) => (input && !isRequired ? [name] : [])),
  DELETE_COLUMN,
]

/** Converts a check to the cells of a row. `alerts` is the finished alerts cell. */
export const toCells = (check: HealthCheck, alerts: string, address?: Address): string[] =>
  COLUMNS.map(({ value: getValue, input }) => {
    if (address && input === 'httpServerAddress') return toAddressCell(address)
    const value = getValue(check, alerts)
    return value instanceof Date ? value.toISOString() : String(value ?? '')
  })

function toAddressCell(address: Address): string {
  if (address.is === 'set') return address.ip
  return address.is === 'unknown' ? UNKNOWN_CELL : ''
}

/** The column for a form's field. */
export const fieldColumn = (field: string): string =>
  COLUMNS.find(({ input }) => input === field)?.name ?? field

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['customer', 'customer_id'],
  ['server_address', 'http_server_address'],
  ['interval', 'frequency'],
  ['ssl', 'verify_ssl'],
])

/** Names that people may use for a column. They are only suggested, because they could also mean something else. */
const SUGGESTIONS: Readonly<Record<string, readonly string[]>> = {
  alerts: ['recipients', 'recipient', 'emails', 'email', 'e_mail', 'mails', 'mail', 'notify', 'contacts'],
  target: ['url', 'host', 'hostname', 'address', 'domain', 'endpoint', 'uri'],
  name: ['title', 'label', 'check', 'health_check'],
  frequency: ['every', 'period', 'seconds', 'interval_seconds'],
  protocol: ['type', 'scheme'],
  customer_id: ['account', 'account_id', 'client', 'client_id'],
  http_server_address: ['ip', 'ip_address', 'server'],
  verify_ssl: ['tls', 'verify_tls', 'verify', 'check_certificate'],
  uuid: ['id', 'check_id'],
}

const normalizeColumnName = (original: string): string => {
  const name = original
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return ALIASES.get(name) ?? name
}

const INPUT_BY_COLUMN: ReadonlyMap<string, string> = new Map([
  ...COLUMNS.flatMap(({ name, input }) => (input ? [[name, input] as const] : [])),
  [DELETE_COLUMN, DELETE_COLUMN],
])

/** Finds the columns that an import ignores. Suggests similar columns that the file doesn't have yet. */
export function findUnusedColumns(columns: Iterable<string>): UnusedColumns {
  const names = new Map([...columns].map((name) => [normalizeColumnName(name), name]))
  const absent = [...INPUT_BY_COLUMN.keys()].filter((name) => !names.has(name))
  const unused: UnusedColumns = { setByService: [], unknown: [] }
  for (const [name, original] of names) {
    if (INPUT_BY_COLUMN.has(name) || name === '') continue
    if (COLUMN_NAMES.includes(name)) unused.setByService.push(name)
    else {
      const suggestion =
        absent.find((column) => SUGGESTIONS[column]?.includes(name)) ?? closestWord(name, absent)
      unused.unknown.push({ name: original.trim(), suggestion })
    }
  }
  return unused
}

/** `Column “recipients” is ignored. Did you mean “alerts”?` */
export const describeUnusedColumn = ({ name, suggestion }: UnusedColumns['unknown'][number]): string =>
  `Column “${clip(oneLine(name), 60)}” is ignored.${suggestion ? ` Did you mean “${suggestion}”?` : ''}`

/** The columns that can identify the check of a row. */
const IDENTIFYING_COLUMNS = ['name', 'uuid']

/** Whether cells name a column that can identify checks, as a header does. */
export const namesChecks = (cells: readonly string[]): boolean =>
  cells.some((cell) => IDENTIFYING_COLUMNS.includes(normalizeColumnName(cell.replace(/^\s*"|"\s*$/g, ''))))

/**
 * Maps form fields to cell positions. Ignores case, spaces, and hyphens in the header. Throws UserError if no column
 * identifies checks, and for a duplicate column.
 */
export function readHeader(header: readonly string[]): ReadonlyMap<string, number> {
  const names = header.map(normalizeColumnName)
  if (!IDENTIFYING_COLUMNS.some((name) => names.includes(name))) {
    const candidates = findUnusedColumns(header).unknown.filter(
      ({ suggestion }) => suggestion && IDENTIFYING_COLUMNS.includes(suggestion),
    )
    throw new UserError(
      [
        'The first line must name the columns, but it has no “name” or “uuid” column.',
        ...candidates.map(describeUnusedColumn),
        `New health checks need ${REQUIRED_COLUMNS.join(', ')}. Optional: ${OPTIONAL_COLUMNS.join(', ')}.`,
      ].join(' '),
    )
  }
  const inputs = [...INPUT_BY_COLUMN]
  const duplicates = inputs.filter(([name]) => names.indexOf(name) !== names.lastIndexOf(name))
  if (duplicates.length > 0)
    throw new UserError(
      `The first line names ${duplicates.map(([name]) => name).join(', ')} twice. Keep one of each.`,
    )
  return new Map(
    inputs.flatMap(([name, input]) => (names.includes(name) ? [[input, names.indexOf(name)]] : [])),
  )
}

/** Stands for an unknown value, such as unreadable alerts. Importing it leaves the check's value unchanged. */
export const UNKNOWN_CELL = '?'

/** The alerts of a check in one cell: commas between recipients, semicolons between alerts. */
export const toAlertCell = (alerts: readonly Alert[]): string =>
  roundTrips(alerts) ? formatAlertCell(alerts) : UNKNOWN_CELL

const formatAlertCell = (alerts: readonly Alert[]): string =>
  alerts.map(({ recipients }) => recipients.join(', ')).join('; ')

/** Whether reading back the cell for these alerts returns the same alerts. */
function roundTrips(alerts: readonly Alert[]): boolean {
  if (alerts.some(({ type, unreadable }) => unreadable || (type || 'EMAIL') !== 'EMAIL')) return false
  const read = readAlertCell(formatAlertCell(alerts))
  const found = 'alerts' in read ? (read.alerts ?? []) : []
  const serializeLists = (lists: readonly Pick<AlertBody, 'recipients'>[]): string =>
    JSON.stringify(lists.map(({ recipients }) => recipients))
  return serializeLists(found) === serializeLists(alerts)
}

/** Parses the alerts in a cell. `alerts` is undefined if the current ones are kept. Returns a `reason` if the cell isn't valid. */
export function readAlertCell(cell: string): { alerts: AlertBody[] | undefined } | { reason: string } {
  if (cell.trim() === UNKNOWN_CELL) return { alerts: undefined }
  const alerts: AlertBody[] = []
  for (const list of cell.split(/[;\n]+/)) {
    const { addresses, bad } = parseRecipients(list)
    const [first] = bad
    if (first) return { reason: `“${first.typed.slice(0, 60)}” ${first.reason}.` }
    if (addresses.length > 0) alerts.push({ type: 'EMAIL', recipients: addresses })
  }
  return { alerts }
}
