import { type DatabaseTime, readTime, type Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { ScopeOf } from '../rows/row.ts'
import type { WatchMaintenanceRow } from '../rows/tables.ts'
import type { Mute } from '../rules/watch.ts'
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

/** Those of them that hold in a channel, as mutes. */
export const mutesByMaintenance = (windows: readonly MaintenanceWindow[], channelId: string): Mute[] =>
  windows
    .filter((window) => window.channelId === undefined || window.channelId === channelId)
    .map((window) => muteByMaintenance(window, channelId))

/** Windows that are not over. */
export const open = (rows: Kysely<Schema>, workspaceId: string) =>
  rows
    .selectFrom('watch_maintenance')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('state', '<>', 'over')

export const windowOf = (row: WatchMaintenanceRow): MaintenanceWindow => ({
  workspaceId: row.workspace_id,
  ...(row.enterprise_id !== null && { enterpriseId: row.enterprise_id }),
  environment: row.environment,
  channelId: row.channel_id || undefined,
  id: row.id,
  planId: row.plan_id,
  // Only this program writes it, and `first` below.
  about: JSON.parse(row.about) as MaintenanceWindow['about'],
  from: new Date(row.from_at),
  to: new Date(row.to_at),
  // PostgreSQL gives large numbers as texts.
  forMs: Number(row.for_ms),
  ...(row.every !== null && { every: row.every }),
  timeZone: row.time_zone,
  first: JSON.parse(row.first_shown) as MaintenanceWindow['first'],
  because: row.because,
  state: row.state,
  ownerId: row.owner_id,
  ownerName: row.owner_name,
  madeAt: new Date(row.made_at),
})
