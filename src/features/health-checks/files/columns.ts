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
