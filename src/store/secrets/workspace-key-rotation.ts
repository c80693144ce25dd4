import { HOUR_MS } from '../../domain/durations.ts'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import { workspaceKeysUsed } from './needs-resealing.ts'
import type { Reseal } from './resealing.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

/** Nobody still has something in hand that was sealed so long ago. */
const UNUSED_MS = HOUR_MS

/** From now on every workspace has another key, for what is stored and for backups. Throws StoreError `bad-keys` too early. */
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
 * Destroys the keys that were replaced long enough ago and seal nothing here, and says how many. The row of each stays, so that no
 * restore brings the key back, and says that it was replaced: else what it has sealed would pass for that of a forgotten workspace.
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
