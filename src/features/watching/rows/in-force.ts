import { type DatabaseTime, type Rows, readTime, rowsIn } from '@signalman/durable'
import { isInForce, type MaintenanceWindow, muteByMaintenance } from '../maintenance/rules.ts'
import { channelIn, type Mute } from '../rules/watch.ts'
import { MAINTENANCE } from './columns.ts'
import type { ScopeOf } from './row.ts'

/** The windows of a scope that are in force now, in any of its channels. */
export async function windowsInForce(
  rows: Rows,
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
export const open = (rows: Rows, workspaceId: string) =>
  rowsIn(rows, 'watch_maintenance', { workspace_id: workspaceId }).where('state', '<>', 'over')

export const windowOf = (row: ReturnType<typeof MAINTENANCE.row>): MaintenanceWindow => ({
  ...MAINTENANCE.of(row),
  channelId: row.channel_id || undefined,
})
