import type { Schema } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { WATCHED_STATUSES, type WatchedStatus } from '../../../domain/outages/outage.ts'
import { polledStatuses } from '../rules/subjects.ts'
import { pollOf, watchesIn } from './poll-rows.ts'
import { type ScopeOf, scopeColumns } from './row.ts'

/**
 * Ends the polling of an environment without watches, and forgets the statuses that no watch asks for any more; the next watch of them
 * begins with a baseline. Paused watches are still polled, so that their channels can be told what is down when they resume.
 */
export async function settlePolling(rows: Kysely<Schema>, scope: ScopeOf, now: Date): Promise<void> {
  const poll = await pollOf(rows, scope)
  if (!poll) return
  const left = await watchesIn(rows, scope)
  const asked = left.length === 0 ? [] : polledStatuses(left)
  // Written by this program alone.
  const known = JSON.parse(poll.statuses) as WatchedStatus[]
  const kept = known.filter((status) => asked.includes(status))
  if (left.length === 0)
    await rows
      .deleteFrom('watch_poll')
      .where((row) => row.and(scopeColumns(scope)))
      .execute()
  else if (kept.length === known.length) return
  // Who has read the states before reads them again.
  else
    await rows
      .updateTable('watch_poll')
      .set({ statuses: JSON.stringify(kept), states_mark: newId() })
      .where((row) => row.and(scopeColumns(scope)))
      .execute()
  const forgotten = WATCHED_STATUSES.filter((status) => !asked.includes(status))
  await rows
    .deleteFrom('watch_state')
    .where((row) => row.and(scopeColumns(scope)))
    .where('status', 'in', forgotten)
    .execute()
  await rows
    .updateTable('watch_outage')
    .set({ ended_at: now.toISOString(), ending: 'unseen' })
    .where((row) => row.and(scopeColumns(scope)))
    .where('status', 'in', forgotten)
    .where('ended_at', 'is', null)
    .execute()
}
