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
const MAX_WILDCARDS = 5
const MAX_CACHED_TOTALS = 100

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

const validatePattern: Validator = (value) => {
  const problem = text(2048)(value)
  if (problem !== undefined) return problem
  return typeof value === 'string' && value.split(/\*+/).length - 1 > MAX_WILDCARDS
    ? `must contain at most ${MAX_WILDCARDS} wildcards`
    : undefined
}

const PARAMETERS: Record<string, Field> = {
  limit: { validate: integerText(1) },
  offset: { validate: integerText(0) },
  sort: { validate: oneOf(['name', 'uuid']) },
  name: { validate: validatePattern },
  status: { validate: oneOf(STATUSES) },
  protocol: { validate: oneOf(PROTOCOLS) },
  target: { validate: validatePattern },
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
 * Creates the function that returns one page of the list of health checks.
 * - `limit` is 100 by default, and 500 at most.
 * - `name` and `target` must match the whole value, ignoring case. A * matches any characters at any position.
 * - `customer_id` includes that customer's subsidiaries unless `include_subsidiaries` is false. Without `customer_id`,
 *   `include_subsidiaries=false` returns only the checks of the account's own customer.
 * - The checks are sorted by name (ignoring case) and then by uuid, or with `sort=uuid` only by uuid.
 *
 * It throws a 400 that names every invalid parameter.
 */
export function createPageLoader(db: Database, environment: string): (parameters: JsonObject) => ListingPage {
  const countRows = createCachedRowCounter(db)
  return (parameters) => listPage(db, countRows, environment, parameters)
}

type CountRows = (where: string, values: Parameters) => number

const createRowCounter =
  (db: Database): CountRows =>
  (where, values) =>
    db.get<{ n: number }>(`SELECT count(*) AS n FROM health_check WHERE ${where}`, values)?.n ?? 0

/** Counting 100,000 rows takes longer than reading one page, so totals are cached until the next write. */
function createCachedRowCounter(db: Database): CountRows {
  const totals = new Map<string, number>()
  let lastTotalChanges = -1
  const count = createRowCounter(db)
  return (where, values) => {
    const totalChanges = db.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0
    if (totalChanges !== lastTotalChanges || totals.size >= MAX_CACHED_TOTALS) totals.clear()
    lastTotalChanges = totalChanges
    const key = JSON.stringify([where, values])
    const cached = totals.get(key)
    if (cached !== undefined) return cached
    const total = count(where, values)
    totals.set(key, total)
    return total
  }
}

function listPage(db: Database, count: CountRows, environment: string, parameters: JsonObject): ListingPage {
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
  return { total: count(where, values), limit, offset, results }
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
  if (!key.includes('*')) return createEqualsConditions(column, key)
  const glob = { sql: `${column} GLOB ?`, parameters: [toGlob(key)] }
  const prefix = key.slice(0, key.indexOf('*'))
  // The range lets an index find the rows, because GLOB uses an index only if its pattern isn't a parameter.
  return prefix === ''
    ? [glob]
    : [{ sql: `${column} >= ? AND ${column} < ?`, parameters: [prefix, `${prefix}\u{10ffff}`] }, glob]
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
