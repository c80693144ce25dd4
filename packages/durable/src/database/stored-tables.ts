import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** A table as it exists in the database, from any version of the app. */
export interface StoredTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key, in order. */
  readonly key: readonly string[]
}

/** A value that SQLite, PostgreSQL, and JSON all support. */
export type Cell = string | number | null

interface Column {
  readonly table: string
  readonly column: string
  /** Its position in the key, from 1. 0 for other columns. */
  readonly keyPosition: number
}

interface Reference {
  readonly from: string
  readonly to: string
}

/** Lists all tables in an order in which rows can be inserted: referenced tables first, then by name. */
export async function listTables(rows: Kysely<Schema>, kind: Database['kind']): Promise<StoredTable[]> {
  const { columns, references } = QUERIES[kind]
  const { rows: found } = await columns.execute(rows)
  const byTable = Map.groupBy(found, ({ table }) => table)
  const names = sortByReference([...byTable.keys()].toSorted(), (await references.execute(rows)).rows)
  return names.map((name) => {
    const tableColumns = byTable.get(name) ?? []
    const key = tableColumns
      .filter(({ keyPosition }) => keyPosition > 0)
      .toSorted((left, right) => left.keyPosition - right.keyPosition)
    return { name, columns: tableColumns.map(({ column }) => column), key: key.map(({ column }) => column) }
  })
}

const QUERIES = {
  sqlite: {
    columns: sql<Column>`
      select m.name as "table", c.name as "column", c.pk as "keyPosition"
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and substr(m.name, 1, 7) <> 'sqlite_' order by m.name, c.cid`,
    references: sql<Reference>`
      select m.name as "from", f."table" as "to" from sqlite_master m, pragma_foreign_key_list(m.name) f
      where m.type = 'table'`,
  },
  postgres: {
    columns: sql<Column>`
      select c.relname::text as "table", a.attname::text as "column",
        coalesce(array_position(i.indkey::int2[], a.attnum), -1) + 1 as "keyPosition"
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
      order by c.relname, a.attnum`,
    references: sql<Reference>`
      select a.relname::text as "from", b.relname::text as "to"
      from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
      where k.contype = 'f' and a.relnamespace = current_schema()::regnamespace`,
  },
}

/** Tables that refer to themselves or to each other are sorted by name. */
function sortByReference(names: readonly string[], references: readonly Reference[]): string[] {
  const sorted = new Set<string>()
  const visited = new Set<string>()
  const visit = (name: string): void => {
    if (visited.has(name) || !names.includes(name)) return
    visited.add(name)
    for (const { to } of references.filter(({ from }) => from === name)) visit(to)
    sorted.add(name)
  }
  names.forEach(visit)
  return [...sorted]
}

const PAGE_SIZE = 500
/** The name under which a query returns the owner of a row. No table has a column with this name. */
const OWNER_COLUMN = 'row_owner'

/** Throws for bytes, dates, and other values that a backup wouldn't return unchanged. */
function toCell(table: string, value: Cell | undefined): Cell {
  if (typeof value !== 'object' && typeof value !== 'boolean' && typeof value !== 'bigint')
    return value ?? null
  if (value === null) return null
  throw new Error(
    `The table ${table} has a value that’s neither text nor a number, which a backup can’t store.`,
  )
}

/** A row's cells, by column name. */
export type NamedCells = Readonly<Record<string, Cell>>

export const toNamedCells = ({ columns }: Pick<StoredTable, 'columns'>, cells: readonly Cell[]): NamedCells =>
  Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? null]))

export interface OwnedRow {
  /** The row's workspace or organization. Empty if it has none. */
  readonly owner: string
  /** In column order. */
  readonly cells: readonly Cell[]
}

/** Yields all rows of a table, ordered by key, a page at a time. `owner` is the SQL expression for a row's owner. */
export async function* readAllRows(
  rows: Kysely<Schema>,
  { name, columns, key }: StoredTable,
  owner = `''`,
): AsyncGenerator<OwnedRow[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const order = key.length > 0 ? sql`order by ${keyColumns}` : sql``
  let last: Record<string, Cell> | undefined
  do {
    const lastKey = last
    const afterLast = lastKey
      ? sql`where (${keyColumns}) > (${sql.join(key.map((column) => lastKey[column]))})`
      : sql``
    // A table without a key is read as one page.
    const limit = key.length > 0 ? sql`limit ${sql.lit(PAGE_SIZE)}` : sql``
    const page = await sql<Record<string, Cell>>`
      select ${sql.join(columns.map((column) => sql.ref(column)))}, ${sql.raw(owner)} as ${sql.ref(OWNER_COLUMN)}
      from ${sql.table(name)}
      ${afterLast} ${order} ${limit}`.execute(rows)
    if (page.rows.length > 0)
      yield page.rows.map((row) => ({
        owner: String(row[OWNER_COLUMN] ?? ''),
        cells: columns.map((column) => toCell(name, row[column])),
      }))
    last = key.length > 0 && page.rows.length === PAGE_SIZE ? page.rows.at(-1) : undefined
  } while (last !== undefined)
}
