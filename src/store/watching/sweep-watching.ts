import { DAY_MS } from '../../domain/durations.ts'
import { WATCHING_KEPT_DAYS } from '../../domain/watching/kept-days.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows } from '../database/delete-rows.ts'

/**
 * Deletes what is kept no longer, a few rows at a time: transitions, observed time, cards that are over, and outages that
 * ended by then and that no card tells of any more.
 */
export async function sweepWatching(database: Database, time: DatabaseTime): Promise<number> {
  const { relaxed } = database
  const old = time(-WATCHING_KEPT_DAYS * DAY_MS)
  const transitions = await deleteRows(database, 'watch_transition', (row) => row('at', '<', old), relaxed)
  const observed = await deleteRows(database, 'watch_observed', (row) => row('to_at', '<', old), relaxed)
  const cards = await deleteRows(database, 'watch_card', (row) => row('closed_at', '<', old), relaxed)
  const outages = await deleteRows(
    database,
    'watch_outage',
    (row) =>
      row.and([
        row('ended_at', '<', old),
        row.not(
          row.exists(
            row
              .selectFrom('watch_card_outage')
              .whereRef('outage_id', '=', 'watch_outage.id')
              .select('card_id'),
          ),
        ),
      ]),
    relaxed,
  )
  const paces = await deleteRows(
    database,
    'watch_pace',
    (row) => row.and([row('channel_id', '<>', ''), row('next_at', '<', old)]),
    relaxed,
  )
  return transitions + observed + cards + outages + paces
}
