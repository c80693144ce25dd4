import type { Transaction } from 'kysely'
import { HOUR_MS } from '../../domain/durations.ts'
import { type DatabaseTime, readTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'

/** During an upgrade, replicas of the version before still serve, and know no keys of workspaces. */
const UPGRADE_MS = HOUR_MS

/**
 * Whether workspaces have their own keys by now: at once in a database that began with this version or later. The database's clock
 * tells how much of the hour is left, and a stopwatch measures it, so that processes agree although clocks differ or are set.
 */
export async function workspaceKeysOn(
  rows: Transaction<Schema>,
  time: DatabaseTime,
  stopwatch: () => number = () => performance.now(),
): Promise<() => boolean> {
  const applied = await rows
    .selectFrom('migration')
    .select(['name', 'applied_at'])
    .where('name', 'in', ['001-first-rows', '021-workspace-keys'])
    .orderBy('name')
    .execute()
  const [first, keys] = applied.map(({ applied_at }) => Date.parse(applied_at))
  if (first === undefined || keys === undefined || first === keys) return () => true
  const leftMs = keys + UPGRADE_MS - (await readTime(rows, time)).getTime()
  const since = stopwatch()
  // A clock that was set back since the upgrade does not make the hour longer.
  return () => stopwatch() - since >= Math.min(leftMs, UPGRADE_MS)
}
