import { openDatabase } from './database.ts'
import { MIGRATION_NAMES } from './migrate.ts'

/** The migrations that this program would run, and those that a newer program has run. */
export interface SchemaState {
  readonly pending: readonly string[]
  readonly unknown: readonly string[]
}

/** Reads it and changes nothing. Throws StoreError when the database cannot be opened. */
export async function readSchemaState(url: string): Promise<SchemaState> {
  await using database = await openDatabase(url)
  const tables = await database.rows.introspection.getTables()
  if (!tables.some(({ name }) => name === 'migration')) return { pending: MIGRATION_NAMES, unknown: [] }
  const rows = await database.rows.selectFrom('migration').select('name').execute()
  const applied = rows.map(({ name }) => name)
  return {
    pending: MIGRATION_NAMES.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !MIGRATION_NAMES.includes(name)),
  }
}
