import type { Database } from '../database/database.ts'
import { deleteRowsOf } from '../database/delete-rows.ts'

/** What refers to others comes before them. */
const TABLES = [
  'watch',
  'watch_poll',
  'watch_mute',
  'watch_digest',
  'watch_state',
  'watch_card',
  'watch_outage',
  'watch_transition',
  'watch_observed',
  'watch_pace',
] as const

/** Deletes all that was watched and seen for a workspace, some rows at a time. Says how many watches there were. */
export async function forgetWatching(database: Database, workspaceId: string): Promise<number> {
  let watches = 0
  for (const table of TABLES) {
    const deleted = await deleteRowsOf(database, workspaceId, table)
    if (table === 'watch') watches = deleted
  }
  return watches
}
