import { openDatabase } from './database.ts'
import type { Model } from './declared-table.ts'

/** The migrations that this program would run, and those that a newer program has run. */
export interface SchemaState {
  readonly pending: readonly string[]
  readonly unknown: readonly string[]
  /** True where it has no table yet. */
  readonly isEmpty: boolean
}

/** Reads it and changes nothing. Throws StoreError when the database cannot be opened. */
export async function readSchemaState(url: string, model: Model): Promise<SchemaState> {
  await using database = await openDatabase(url, model)
  const names = model.migrations.map(({ name }) => name)
  const tables = await database.rows.introspection.getTables()
  if (!tables.some(({ name }) => name === 'migration'))
    return { pending: names, unknown: [], isEmpty: tables.length === 0 }
  const rows = await database.rows.selectFrom('migration').select('name').execute()
  const applied = rows.map(({ name }) => name)
  return {
    pending: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !names.includes(name)),
    isEmpty: false,
  }
}
