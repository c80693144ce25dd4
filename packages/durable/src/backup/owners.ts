import { createSecretKey, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { type KeyPurpose, rowsIn, type Schema } from '../database/schema.ts'
import { listTables, type StoredTable } from '../database/stored-tables.ts'
import type { Key } from '../secrets/keys.ts'
import type { TextOpener } from '../secrets/seal.ts'
import { openWorkspaceKey, type WorkspaceKeys } from '../secrets/workspace-keys.ts'

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
  for (const table of await listTables(rows, kind)) {
    const owner = ownerOf(model.tables, table)
    if (owner === undefined) continue
    const found = await sql`
      select 1 from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId} limit 1`.execute(rows)
    if (found.rows.length > 0) return true
  }
  return false
}

/** Deletes every row of a workspace from a database that nobody uses, of any version; of its keys it keeps a note that they are gone. */
export async function eraseFrom(
  rows: Kysely<Schema>,
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  workspaceId: string,
  at: string,
): Promise<void> {
  // Rows that refer to others come after those.
  for (const table of (await listTables(rows, kind)).toReversed()) {
    const owner = ownerOf(model.tables, table)
    if (table.name === WORKSPACE_KEYS)
      await sql`update workspace_key set sealed_key = null, retired_at = coalesce(retired_at, ${at})
        where workspace_id = ${workspaceId}`.execute(rows)
    else if (owner !== undefined)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
}

const KEY_BYTES = 32

/** Finds the key that seals rows of a workspace in a backup. */
export type RowsKeyOf = (workspaceId: string, purpose: KeyPurpose) => Promise<Key>

/**
 * Finds the keys for the backup of a snapshot. A workspace may be erased or forgotten after the snapshot began, which still shows
 * its rows. They are sealed with the key that was in use at the snapshot, or with a throwaway key where that is destroyed; never
 * with a newer key, which would make them readable again.
 */
export async function rowsKeysAt(
  snapshot: Kysely<Schema>,
  now: { rows: Kysely<Schema>; root: TextOpener; workspaceKeys: Pick<WorkspaceKeys, 'keyFor'> },
): Promise<RowsKeyOf> {
  const retired = snapshot.selectFrom(WORKSPACE_KEYS).select('id').where('retired_at', 'is not', null)
  const retiredBefore = new Set((await retired.execute()).map(({ id }) => id))
  return async (workspaceId, purpose) => {
    // Before the retired keys are read, so that an erasure in between is seen.
    const inUse = await now.workspaceKeys.keyFor(workspaceId, purpose)
    const own = rowsIn(now.rows, WORKSPACE_KEYS, { workspace_id: workspaceId, purpose })
    const retiredNow = await own.where('retired_at', 'is not', null).orderBy('retired_at').execute()
    // A key with `dropped_at` was replaced long ago: it says nothing of an erasure.
    const retiredSince = retiredNow.find(({ id, dropped_at: at }) => !retiredBefore.has(id) && !at)
    if (retiredSince === undefined) return inUse
    // Kept nowhere: rows that it seals can never be read.
    const throwawayKey = { id: retiredSince.id, secret: createSecretKey(randomBytes(KEY_BYTES)) }
    return openWorkspaceKey(now.root, retiredSince) ?? throwawayKey
  }
}
