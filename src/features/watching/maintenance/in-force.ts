import { type DatabaseTime, readTime, type Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import { MAINTENANCE } from '../rows/columns.ts'
import type { ScopeOf } from '../rows/row.ts'
import { channelIn, type Mute } from '../rules/watch.ts'
import { isInForce, type MaintenanceWindow, muteByMaintenance } from './rules.ts'

/** The windows of a scope that are in force now, in any of its channels. */
export async function windowsInForce(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, environment }: ScopeOf,
): Promise<MaintenanceWindow[]> {
  const found = await open(rows, workspaceId).where('environment', '=', environment).execute()
  if (found.length === 0) return []
  const now = await readTime(rows, time)
  return found.map(windowOf).filter((window) => isInForce(window, now))
}

/** Those of them that hold in a channel and its threads, as mutes. */
export const mutesByMaintenance = (windows: readonly MaintenanceWindow[], channelId: string): Mute[] =>
  windows
    .filter((window) => window.channelId === undefined || window.channelId === channelIn(channelId))
    .map((window) => muteByMaintenance(window, channelId))

/** Windows that are not over. */
export const open = (rows: Kysely<Schema>, workspaceId: string) =>
  rows
    .selectFrom('watch_maintenance')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('state', '<>', 'over')

export const windowOf = (row: ReturnType<typeof MAINTENANCE.row>): MaintenanceWindow => ({
  ...MAINTENANCE.of(row),
  channelId: row.channel_id || undefined,
})
