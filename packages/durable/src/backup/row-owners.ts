import { createSecretKey, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { type KeyPurpose, type Schema, selectRows } from '../database/schema.ts'
import { listTables, type StoredTable } from '../database/stored-tables.ts'
import type { Key } from '../secrets/keys.ts'
import type { TextOpener } from '../secrets/seal.ts'
import { openWorkspaceKey, type WorkspaceKeys } from '../secrets/workspace-keys.ts'

/**
 * The purpose of the key that seals a workspace's rows of this table in backups. It's the key that is destroyed when those rows
 * are deleted.
 */
export const findKeyPurpose = (tables: readonly Table[], name: string): KeyPurpose =>
  tables.find((table) => table.name === name)?.forgotten === 'kept' ? 'rows' : 'content'

/** The table of workspace keys. It's left out of backups, because together with the encryption keys, it would open all of them. */
export const WORKSPACE_KEYS = 'workspace_key'

/** A SQL expression for the workspace (or organization) of a row. Undefined for tables whose rows belong to none. */
export function ownerExpression(
  tables: readonly Table[],
  { name, columns }: Pick<StoredTable, 'name' | 'columns'>,
): string | undefined {
  const declared = tables.find((table) => table.name === name)
  // A table that isn't declared here is from another version of the app.
  return declared ? declared.owner : columns.includes('workspace_id') ? 'workspace_id' : undefined
}

/** Whether any row of the workspace exists, including the row that records its erasure. */
export async function hasWorkspaceRows(
  rows: Kysely<Schema>,
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  workspaceId: string,
): Promise<boolean> {
  for (const table of await listTables(rows, kind)) {
    const owner = ownerExpression(model.tables, table)
    if (owner === undefined) continue
    const found = await sql`
      select 1 from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId} limit 1`.execute(rows)
    if (found.rows.length > 0) return true
  }
  return false
}

/**
 * Deletes every row of a workspace from an unused database of any version. The rows of its keys stay, without the keys, to show
 * that the keys were destroyed.
 */
export async function eraseWorkspaceRows(
  rows: Kysely<Schema>,
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  workspaceId: string,
  at: string,
): Promise<void> {
  // Delete referencing rows first.
  for (const table of (await listTables(rows, kind)).toReversed()) {
    const owner = ownerExpression(model.tables, table)
    if (table.name === WORKSPACE_KEYS)
      await sql`update workspace_key set sealed_key = null, retired_at = coalesce(retired_at, ${at})
        where workspace_id = ${workspaceId}`.execute(rows)
    else if (owner !== undefined)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
}

const KEY_BYTES = 32

/** Finds the key that seals a workspace's rows in a backup. */
export type FindBackupKey = (workspaceId: string, purpose: KeyPurpose) => Promise<Key>

/**
 * Finds the keys for a backup of a snapshot. A workspace may be erased or forgotten while the snapshot still shows its rows. Such
 * rows are sealed with the key that was in use at the snapshot, or with a throwaway key if that key is destroyed. They are never
 * sealed with a newer key, which would make them readable again.
 */
export async function createBackupKeyFinder(
  snapshot: Kysely<Schema>,
  current: { rows: Kysely<Schema>; root: TextOpener; workspaceKeys: Pick<WorkspaceKeys, 'ensureKey'> },
): Promise<FindBackupKey> {
  const retired = snapshot.selectFrom(WORKSPACE_KEYS).select('id').where('retired_at', 'is not', null)
  const retiredBefore = new Set((await retired.execute()).map(({ id }) => id))
  return async (workspaceId, purpose) => {
    // Read this before the retired keys. Otherwise, an erasure in between would be missed.
    const inUse = await current.workspaceKeys.ensureKey(workspaceId, purpose)
    const own = selectRows(current.rows, WORKSPACE_KEYS, { workspace_id: workspaceId, purpose })
    const retiredNow = await own.where('retired_at', 'is not', null).orderBy('retired_at').execute()
    // A key with `dropped_at` was replaced long ago. That doesn't mean its workspace was erased.
    const retiredSince = retiredNow.find(({ id, dropped_at: at }) => !retiredBefore.has(id) && !at)
    if (retiredSince === undefined) return inUse
    // This key isn't stored anywhere, so rows sealed with it can never be read.
    const throwawayKey = { id: retiredSince.id, secret: createSecretKey(randomBytes(KEY_BYTES)) }
    return openWorkspaceKey(current.root, retiredSince) ?? throwawayKey
  }
}
