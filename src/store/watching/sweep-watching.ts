import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

const DAY_MS = 24 * 3_600_000
/** What was seen and told is kept for so long. */
const WATCHING_KEPT_MS = 90 * DAY_MS

/**
 * Deletes what is older than 90 days, a few rows at a time: transitions, observed time, cards that are over, and outages that
 * ended by then and that no card tells of any more.
 */
export async function sweepWatching({ kind, relaxed }: Database, time: DatabaseTime): Promise<number> {
  const place = sql.ref(kind === 'postgres' ? 'ctid' : 'rowid')
  const old = time(-WATCHING_KEPT_MS)
  const sweeps = [
    ['watch_transition', sql`at < ${old}`],
    ['watch_observed', sql`to_at < ${old}`],
    ['watch_card', sql`closed_at < ${old}`],
    [
      'watch_outage',
      sql`ended_at < ${old} and not exists (select 1 from watch_card_outage where outage_id = watch_outage.id)`,
    ],
    ['watch_pace', sql`channel_id <> '' and next_at < ${old}`],
  ] as const
  let swept = 0
  for (const [table, isOld] of sweeps)
    swept += await deleteInBatches(async (limit) => {
      const { numAffectedRows } = await relaxed((rows) =>
        sql`delete from ${sql.table(table)} where ${place} in
          (select ${place} from ${sql.table(table)} where ${isOld} limit ${limit})`.execute(rows),
      )
      return Number(numAffectedRows ?? 0)
    })
  return swept
}
