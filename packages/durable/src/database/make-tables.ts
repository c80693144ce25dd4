import { type Kysely, sql, type TableMetadata } from 'kysely'
import { SERIAL } from './columns.ts'
import type { Table } from './declared-table.ts'
import { isPostgres } from './schema.ts'

/** The tables of the current schema. */
export async function listTables<DB>(rows: Kysely<DB>): Promise<TableMetadata[]> {
  const tables = await rows.introspection.getTables()
  if (!isPostgres(rows)) return tables
  const { rows: found } = await sql<{ current: string }>`select current_schema() as current`.execute(rows)
  return tables.filter(({ schema }) => schema === found[0]?.current)
}

/**
 * How long a migration waits for a table lock. ALTER TABLE waits for readers, and all other statements then wait for ALTER TABLE, so
 * this is well below the time that other processes have to answer a request.
 */
export const LOCK_TIMEOUT_MS = 1000

/**
 * Creates the declared tables. With the name of a migration, creates its tables and adds its columns to existing ones. Without a
 * name, creates everything that no later migration does.
 */
export async function makeTables(
  db: Kysely<unknown>,
  tables: readonly Table[],
  migration?: string,
): Promise<void> {
  for (const table of tables) {
    if (table.since === migration) await makeTable(db, table)
    else if (migration !== undefined)
      for (const column of table.columns.definitions.filter(({ since }) => since === migration))
        await sql`alter table ${sql.table(table.name)} add column ${sql.raw(column.sql)}`.execute(db)
  }
}

async function makeTable(db: Kysely<unknown>, table: Table): Promise<void> {
  const { name, columns, key, constraints, indexes, uniqueIndexes, isRewritten, since, partOf } = table
  const tableName = sql.table(name)
  const initialColumns = columns.definitions.filter(
    (column) => column.since === undefined || column.since === since,
  )
  const parts = [
    ...initialColumns.map((column) => (isPostgres(db) ? column.sql : column.sql.replace(SERIAL, 'integer'))),
    `primary key (${key.join(', ')})`,
    ...constraints,
  ]
  if (partOf) parts.push(`foreign key (${partOf.column}) references ${partOf.table} (id) on delete cascade`)
  const storage = isRewritten && isPostgres(db) ? sql`with (fillfactor = 70)` : sql``
  await sql`create table ${tableName} (${sql.raw(parts.join(', '))}) ${storage}`.execute(db)
  for (const [create, definitions] of [
    [sql`create index`, indexes],
    [sql`create unique index`, uniqueIndexes],
  ] as const)
    for (const [index, on] of Object.entries(definitions))
      await sql`${create} ${sql.id(`${name}_${index}`)} on ${tableName} ${sql.raw(on)}`.execute(db)
}
