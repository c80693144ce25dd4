import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

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
export async function forgetWatching({ kind, rows }: Database, workspaceId: string): Promise<number> {
  // Tables without a key of one column: both databases have a name of their own for the place of a row.
  const place = sql.ref(kind === 'postgres' ? 'ctid' : 'rowid')
  let watches = 0
  for (const table of TABLES) {
    const deleted = await deleteInBatches(async (limit) => {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${place} in
        (select ${place} from ${sql.table(table)} where workspace_id = ${workspaceId} limit ${limit})`.execute(
        rows,
      )
      return Number(numAffectedRows ?? 0)
    })
    if (table === 'watch') watches = deleted
  }
  return watches
}
