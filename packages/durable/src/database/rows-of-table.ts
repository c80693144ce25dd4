import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'
import type { Cell, StoredTable } from './stored-tables.ts'

const PAGE = 500
/** No column has this name. */
const OWNER = 'whose_row'

/** Throws for bytes, dates and the like, which a backup would not give back unchanged. */
function cellOf(table: string, value: Cell | undefined): Cell {
  if (typeof value !== 'object' && typeof value !== 'boolean' && typeof value !== 'bigint')
    return value ?? null
  if (value === null) return null
  throw new Error(`A column of ${table} holds what is neither a text nor a number: no backup can hold it.`)
}

/** A row's cells in the order of the columns, and its owner; empty where it has none. */
export interface OwnedRow {
  readonly owner: string
  readonly cells: readonly Cell[]
}

/**
 * All rows of a table in the order of its key, a page at a time. `owner` is SQL for the owner of a row.
 */
export async function* rowsOf(
  rows: Kysely<Schema>,
  { name, columns, key }: StoredTable,
  owner = `''`,
): AsyncGenerator<OwnedRow[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const order = key.length > 0 ? sql`order by ${keyColumns}` : sql``
  let last: Record<string, Cell> | undefined
  do {
    const after = last
    const beyond = after
      ? sql`where (${keyColumns}) > (${sql.join(key.map((column) => after[column]))})`
      : sql``
    // A table without a key is read as one page.
    const limit = key.length > 0 ? sql`limit ${sql.lit(PAGE)}` : sql``
    const page = await sql<Record<string, Cell>>`
      select ${sql.join(columns.map((column) => sql.ref(column)))}, ${sql.raw(owner)} as ${sql.ref(OWNER)}
      from ${sql.table(name)}
      ${beyond} ${order} ${limit}`.execute(rows)
    if (page.rows.length > 0)
      yield page.rows.map((row) => ({
        owner: String(row[OWNER] ?? ''),
        cells: columns.map((column) => cellOf(name, row[column])),
      }))
    last = key.length > 0 && page.rows.length === PAGE ? page.rows.at(-1) : undefined
  } while (last !== undefined)
}
