import type { Transaction } from 'kysely'
import { HOUR_MS } from '../../domain/durations.ts'
import { type DatabaseTime, readTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'

/** Replicas of the version before, which knows no keys of workspaces, go on serving while one after the other is upgraded. */
const UPGRADE_MS = HOUR_MS

/**
 * Whether each workspace has a key of its own by now: a database that began with this version, or a later one, has nobody to wait
 * for. How much of the hour is left is told by the database's clock, and from then on by a stopwatch, so that processes whose
 * clocks differ, or are set, agree.
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
  // A clock that was set back since the upgrade makes the hour no longer than an hour.
  return () => stopwatch() - since >= Math.min(leftMs, UPGRADE_MS)
}
