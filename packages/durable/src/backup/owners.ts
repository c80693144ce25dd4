import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import type { KeyPurpose, Schema } from '../database/schema.ts'
import { type StoredTable, tablesOf } from '../database/stored-tables.ts'

/** The purpose of the key that seals a workspace's rows of a table in backups: the key that is destroyed when they are deleted. */
export const purposeOf = (tables: readonly Table[], name: string): KeyPurpose =>
  tables.find((table) => table.name === name)?.forgotten === 'kept' ? 'rows' : 'content'

/** Not part of backups: with this table and the encryption keys, all of them can be opened. */
export const WORKSPACE_KEYS = 'workspace_key'

/** SQL for the workspace (or organization) of a row; undefined for a table whose rows have none. */
export function ownerOf(
  tables: readonly Table[],
  { name, columns }: Pick<StoredTable, 'name' | 'columns'>,
): string | undefined {
  const declared = tables.find((table) => table.name === name)
  // Another version of the program may have other tables.
  return declared ? declared.owner : columns.includes('workspace_id') ? 'workspace_id' : undefined
}

/** Whether anything is stored of a workspace, also the one row that says that it was erased. */
export async function holdsWorkspace(
  rows: Kysely<Schema>,
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  workspaceId: string,
): Promise<boolean> {
  for (const table of await tablesOf(rows, kind)) {
    const owner = ownerOf(model.tables, table)
    if (owner === undefined) continue
    const found = await sql`
      select 1 from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId} limit 1`.execute(rows)
    if (found.rows.length > 0) return true
  }
  return false
}

/** Deletes every row of a workspace from a database that nobody uses, of any version; of its keys, the word stays that they are gone. */
export async function eraseFrom(
  rows: Kysely<Schema>,
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  workspaceId: string,
  at: string,
): Promise<void> {
  // Rows that refer to others come after those.
  for (const table of (await tablesOf(rows, kind)).toReversed()) {
    const owner = ownerOf(model.tables, table)
    if (table.name === WORKSPACE_KEYS)
      await sql`update workspace_key set sealed_key = null, retired_at = coalesce(retired_at, ${at})
        where workspace_id = ${workspaceId}`.execute(rows)
    else if (owner !== undefined)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
}
