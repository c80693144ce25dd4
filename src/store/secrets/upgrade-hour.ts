import type { Transaction } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** Replicas of the version before, which knows no keys of workspaces, go on serving while one after the other is upgraded. */
const UPGRADE_MS = 3_600_000

/** Since when each workspace has a key of its own: a database that began with this version, or a later one, has nobody to wait for. */
export async function workspaceKeysSince(rows: Transaction<Schema>): Promise<Date> {
  const applied = await rows
    .selectFrom('migration')
    .select(['name', 'applied_at'])
    .where('name', 'in', ['001-first-rows', '021-workspace-keys'])
    .orderBy('name')
    .execute()
  const [first, keys] = applied.map(({ applied_at }) => Date.parse(applied_at))
  if (first === undefined || keys === undefined || first === keys) return new Date(0)
  return new Date(keys + UPGRADE_MS)
}
