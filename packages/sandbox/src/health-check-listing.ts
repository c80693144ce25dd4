import { ACCOUNT_CUSTOMER_ID, withSubsidiaries } from './customers.ts'
import type { Database, Parameters } from './database.ts'
import {
  type Field,
  findProblems,
  type JsonObject,
  oneOf,
  text,
  throwIfInvalid,
  type Validator,
} from './fields.ts'
import { COLUMNS, type HealthCheckRow, PROTOCOLS, STATUSES, toComparable } from './health-check-store.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500

/** Query parameters are strings. A repeated parameter arrives as a list, which this rejects. */
const integerText =
  (min: number): Validator =>
  (value) =>
    typeof value === 'string' &&
    /^\d+$/.test(value) &&
    Number.isSafeInteger(Number(value)) &&
    Number(value) >= min
      ? undefined
      : `must be a whole number, ${min} or more`

const PARAMETERS: Record<string, Field> = {
  limit: { validate: integerText(1) },
  offset: { validate: integerText(0) },
  sort: { validate: oneOf(['name', 'uuid']) },
  name: { validate: text(2048) },
  status: { validate: oneOf(STATUSES) },
  protocol: { validate: oneOf(PROTOCOLS) },
  target: { validate: text(2048) },
  customer_id: { validate: integerText(1) },
  include_subsidiaries: { validate: oneOf(['true', 'false']) },
}

interface Query {
  limit?: string
  offset?: string
  sort?: 'name' | 'uuid'
  name?: string
  status?: string
  protocol?: string
  target?: string
  customer_id?: string
  include_subsidiaries?: 'true' | 'false'
}

export interface ListingPage {
  total: number
  limit: number
  offset: number
  results: HealthCheckRow[]
}

interface Condition {
  sql: string
  parameters: Parameters
}

/**
 * Returns one page of the list of health checks.
 * - `limit` is 100 by default, and 500 at most.
 * - `name` and `target` must match the whole value, ignoring case. A * matches any characters at any position.
 * - `customer_id` includes that customer's subsidiaries unless `include_subsidiaries` is false. Without `customer_id`,
 *   `include_subsidiaries=false` returns only the checks of the account's own customer.
 * - The checks are sorted by name (ignoring case) and then by uuid, or with `sort=uuid` only by uuid.
 *
 * Throws a 400 that names every invalid parameter.
 */
export function listPage(db: Database, environment: string, parameters: JsonObject): ListingPage {
  throwIfInvalid(findProblems(parameters, PARAMETERS))
  // Validated parameter by parameter above.
  const query = parameters as Query
  const conditions = buildConditions(environment, query)
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  const values = conditions.flatMap((condition) => condition.parameters)
  const limit = Math.min(Number(query.limit ?? DEFAULT_LIMIT), MAX_LIMIT)
  const offset = Number(query.offset ?? 0)
  const order = query.sort === 'uuid' ? 'uuid' : 'name_key, uuid'
  const results = db.all<HealthCheckRow>(
    `SELECT ${COLUMNS} FROM health_check WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  )
  const total = db.get<{ n: number }>(`SELECT count(*) AS n FROM health_check WHERE ${where}`, values)?.n ?? 0
  return { total, limit, offset, results }
}

function buildConditions(environment: string, query: Query): Condition[] {
  return [
    { sql: 'environment = ?', parameters: [environment] },
    ...createPatternConditions('name_key', query.name),
    ...createPatternConditions('target_key', query.target),
    ...createEqualsConditions('status', query.status),
    ...createEqualsConditions('protocol', query.protocol),
    ...createCustomerConditions(query),
  ]
}

function createEqualsConditions(column: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${column} = ?`, parameters: [value] }]
}

function createPatternConditions(column: string, filterText: string | undefined): Condition[] {
  if (filterText === undefined) return []
  const key = toComparable(filterText)
  return key.includes('*')
    ? [{ sql: `${column} GLOB ?`, parameters: [toGlob(key)] }]
    : createEqualsConditions(column, key)
}

function createCustomerConditions({ customer_id, include_subsidiaries }: Query): Condition[] {
  if (customer_id === undefined && include_subsidiaries !== 'false') return []
  const id = Number(customer_id ?? ACCOUNT_CUSTOMER_ID)
  const ids = include_subsidiaries === 'false' ? [id] : withSubsidiaries(id)
  return [{ sql: `customer_id IN (${ids.map(() => '?').join(', ')})`, parameters: ids }]
}

/** Converts a filter to a GLOB pattern. Puts ? and [ in brackets, which makes them literal. */
function toGlob(key: string): string {
  return key.replaceAll(/\*+/g, '*').replaceAll(/[?[]/g, '[$&]')
}
