import { type Kysely, sql, type Transaction } from 'kysely'
import type { Model } from './declared-table.ts'
import { StoreError } from './errors.ts'
import { LOCK_TIMEOUT_MS, listTables } from './make-tables.ts'
import { isPostgres, type Schema } from './schema.ts'

/**
 * Runs the pending migrations in the caller's transaction, which must already exclude other processes. Throws StoreError `newer` if a newer version has changed the tables.
 */
export async function migrate(
  transaction: Transaction<Schema>,
  { migrations, tables }: Model,
  now: Date,
): Promise<void> {
  await transaction.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute()
  const rows = await transaction.selectFrom('migration').select('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  refuseUnknown(migrations, applied)
  if (isPostgres(transaction))
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction)
  const due = migrations.filter(({ name }) => !applied.has(name))
  if (due.length === 0) await refuseFormer(transaction, tables)
  for (const { name, up } of due) {
    // A migration must not use today's row types, because they change later.
    await up(transaction as unknown as Kysely<unknown>)
    await transaction.insertInto('migration').values({ name, applied_at: now.toISOString() }).execute()
  }
}

function refuseUnknown(migrations: Model['migrations'], applied: ReadonlySet<string>): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name)).sort()
  if (unknown.length === 0) return
  throw new StoreError(
    'newer',
    `The database was written by a newer version of the program (migrations ${unknown.join(', ')}), or by a prerelease version. Run that version, or restore a backup that this version made.`,
  )
}

/**
 * Throws StoreError `former` if a table or column is missing, although every migration has run: in a database from before the first
 * release, whose first migration made other tables, and in one that was filled only partly.
 */
async function refuseFormer(transaction: Transaction<Schema>, tables: Model['tables']): Promise<void> {
  const found = new Map(
    (await listTables(transaction)).map(({ name, columns }) => [
      name,
      new Set(columns.map((column) => column.name)),
    ]),
  )
  const missing = tables.flatMap(({ name, columns }) =>
    columns.names.flatMap((column) => (found.get(name)?.has(column) ? [] : [`${name}.${column}`])),
  )
  if (missing.length === 0) return
  throw new StoreError(
    'former',
    `The database isn’t of this version, and nothing was changed: it was written by a version before the first release, or it’s incomplete (${missing.length} columns are missing, such as ${missing[0]}). Its tables can’t be taken over.`,
  )
}

/** What a first start of this version would change. */
export interface SchemaState {
  readonly pending: readonly string[]
  /** True if the database has no tables yet. */
  readonly isEmpty: boolean
}

export async function readSchemaState(rows: Kysely<Schema>, { migrations }: Model): Promise<SchemaState> {
  const names = migrations.map(({ name }) => name)
  const tables = await listTables(rows)
  if (!tables.some(({ name }) => name === 'migration'))
    return { pending: names, isEmpty: tables.length === 0 }
  const applied = (await rows.selectFrom('migration').select('name').execute()).map(({ name }) => name)
  return { pending: names.filter((name) => !applied.includes(name)), isEmpty: false }
}
