import { HOUR_MS } from '../../domain/durations.ts'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import { workspaceKeysUsed } from './needs-resealing.ts'
import type { Reseal } from './resealing.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

/** By then, no process still works with a text that such a key sealed. */
const UNUSED_MS = HOUR_MS

/** Gives every workspace new keys, for rows and for backups. Throws StoreError `bad-keys` when it is too early. */
export async function retireKeys({ database, isOn }: Reseal, now: Date): Promise<void> {
  if (!isOn) {
    throw new StoreError(
      'bad-keys',
      'Workspaces have keys of their own from an hour after the upgrade on, so that replicas of the version before can go on serving: try again then.',
    )
  }
  await database.rows
    .updateTable('workspace_key')
    .set({ retired_at: now.toISOString() })
    .where('retired_at', 'is', null)
    .execute()
}

/**
 * Destroys keys that were replaced long enough ago and seal nothing here. Returns how many. Each row stays, so that no restore brings
 * the key back, and says that the key was replaced: else a restore would treat its texts as those of a forgotten workspace.
 */
export async function destroyUnused(database: Database, now: Date): Promise<number> {
  const used = new Set<string>()
  for (const column of SEALED_COLUMNS)
    for (const id of await workspaceKeysUsed(database, column)) used.add(id)
  const retired = await database.rows
    .selectFrom('workspace_key')
    .select('id')
    .where('retired_at', '<=', new Date(now.getTime() - UNUSED_MS).toISOString())
    .where('sealed_key', 'is not', null)
    .execute()
  const unused = retired.filter(({ id }) => !used.has(id))
  for (const { id } of unused)
    await database.rows
      .updateTable('workspace_key')
      .set({ sealed_key: null, dropped_at: now.toISOString() })
      .where('id', '=', id)
      .execute()
  return unused.length
}
