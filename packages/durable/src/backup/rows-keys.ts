import { createSecretKey, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { KeyPurpose, Schema } from '../database/schema.ts'
import type { Key } from '../secrets/keys.ts'
import type { TextOpener } from '../secrets/seal.ts'
import { openWorkspaceKey, type WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { WORKSPACE_KEYS } from './owners.ts'

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
    const retiredNow = await now.rows
      .selectFrom(WORKSPACE_KEYS)
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('purpose', '=', purpose)
      .where('retired_at', 'is not', null)
      .orderBy('retired_at')
      .execute()
    // A key with `dropped_at` was replaced long ago: it says nothing of an erasure.
    const retiredSince = retiredNow.find(({ id, dropped_at: at }) => !retiredBefore.has(id) && !at)
    if (retiredSince === undefined) return inUse
    // Kept nowhere: rows that it seals can never be read.
    const throwawayKey = { id: retiredSince.id, secret: createSecretKey(randomBytes(KEY_BYTES)) }
    return openWorkspaceKey(now.root, retiredSince) ?? throwawayKey
  }
}
