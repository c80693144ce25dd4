import { type Kysely, sql, type TableMetadata, type Transaction } from 'kysely'
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
  const found = await listTables(transaction)
  const applied = new Set(await readApplied(transaction, tables, found))
  if (!found.some(isMigrationTable))
    await transaction.schema
      .createTable('migration')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'text', (column) => column.notNull())
      .execute()
  refuseUnknown(migrations, applied)
  if (isPostgres(transaction))
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction)
  if (applied.size > 0) refuseFormer(found, tables, applied)
  for (const { name, up } of migrations.filter(({ name }) => !applied.has(name))) {
    // A migration must not use today's row types, because they change later.
    await up(transaction as unknown as Kysely<unknown>)
    await transaction.insertInto('migration').values({ name, applied_at: now.toISOString() }).execute()
  }
}

const isMigrationTable = ({ name }: TableMetadata): boolean => name === 'migration'

/** The names of the applied migrations. Throws StoreError `unusable` if another program has created tables with names of ours. */
async function readApplied(
  rows: Kysely<Schema>,
  tables: Model['tables'],
  found: readonly TableMetadata[],
): Promise<string[]> {
  const own = found.find(isMigrationTable)
  if (own?.columns.some(({ name }) => name === 'applied_at'))
    return (await rows.selectFrom('migration').select('name').execute()).map(({ name }) => name)
  const taken = found.find(({ name }) => tables.some((table) => table.name === name))
  if (taken === undefined) return []
  throw new StoreError(
    'unusable',
    `The database has tables of another program, such as ${taken.name}, with names that this program needs. Nothing was changed. Use a database of its own.`,
  )
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
 * Throws StoreError `former` if a table or column is missing, although its migration has run: in a database from before the first
 * release, whose first migration made other tables, and in one that was filled only partly.
 */
function refuseFormer(
  found: readonly TableMetadata[],
  tables: Model['tables'],
  applied: ReadonlySet<string>,
): void {
  const existing = new Set(
    found.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
  )
  const missing = tables.flatMap(({ name, columns, since: created }) =>
    columns.definitions
      .filter(({ since = created }) => since === undefined || applied.has(since))
      .map((column) => `${name}.${column.name}`)
      .filter((column) => !existing.has(column)),
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

export async function readSchemaState(
  rows: Kysely<Schema>,
  { migrations, tables }: Model,
): Promise<SchemaState> {
  const found = await listTables(rows)
  const applied = await readApplied(rows, tables, found)
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.includes(name))
  return { pending, isEmpty: found.length === 0 }
}
