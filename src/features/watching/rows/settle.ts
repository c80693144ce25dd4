import type { DatabaseTime, Schema } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { type Outage, WATCHED_STATUSES, type WatchedStatus } from '../../../domain/outages/outage.ts'
import { changedReminder } from '../rules/due.ts'
import { eachInSlices } from '../rules/slices.ts'
import { polledStatuses, type ReadyWatch } from '../rules/subjects.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { outagePages, outagesOf } from './cards.ts'
import { pollOf, watchesIn } from './poll-rows.ts'
import { channelColumns, dateOf, type ScopeOf, scopeColumns } from './row.ts'
import { channelWatches } from './still-down.ts'
import { scheduleCardsDue, scheduleDelivery } from './watch-work.ts'

/** Card ids in one statement. */
const AT_ONCE = 200

/** Closes the open cards of a channel whose checks are no longer watched there; each card says so. */
export async function settleChannel(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId, environment }: WatchPlace,
  now: Date,
): Promise<void> {
  const left = await channelWatches(rows, { workspaceId, channelId, environment })
  const open = await rows
    .selectFrom('watch_card')
    .select(['id', 'kind'])
    .where((row) => row.and(channelColumns({ workspaceId, channelId, environment })))
    .where('closed_at', 'is', null)
    .execute()
  const unwatched: string[] = []
  for (const card of open)
    if (
      left.length === 0 ||
      (card.kind !== 'blind' && card.kind !== 'maintenance' && !(await tellsOfWatched(rows, card.id, left)))
    )
      unwatched.push(card.id)
  const at = now.toISOString()
  for (let start = 0; start < unwatched.length; start += AT_ONCE)
    await rows
      .updateTable('watch_card')
      .set((card) => ({
        unwatched_at: at,
        closed_at: at,
        remind_at: null,
        version: card('version', '+', 1),
      }))
      .where('id', 'in', unwatched.slice(start, start + AT_ONCE))
      .execute()
  // Also where it closes nothing: a channel whose paused watch is gone takes what it missed.
  await scheduleDelivery(rows, time, workspaceId, channelId)
}

/** A flapping card may be open while its checks are up: then its last outage counts. */
async function tellsOfWatched(
  rows: Kysely<Schema>,
  cardId: string,
  left: readonly ReadyWatch[],
): Promise<boolean> {
  const isWatched = ({ check, status }: Outage): boolean => left.some(({ fits }) => fits(check, status))
  let isAnyDown = false
  for await (const page of outagePages(rows, cardId, 'open')) {
    if (page.some(isWatched)) return true
    isAnyDown ||= page.length > 0
  }
  const last = isAnyDown ? undefined : (await outagesOf(rows, cardId)).at(-1)
  return last !== undefined && isWatched(last)
}

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

/** Sets the next reminder of each open card in a channel anew, after the setting of one of its watches was changed. */
export async function settleReminders(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  now: Date,
): Promise<void> {
  const watches = (await channelWatches(rows, place)).filter(({ watch }) => watch.reminderHours > 0)
  const openCards = rows
    .selectFrom('watch_card')
    .where((row) => row.and(channelColumns(place)))
    .where('closed_at', 'is', null)
  const reminded = await openCards
    .where('reason', '=', 'reminder')
    .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
    .select('outage_id')
    .execute()
  const remindedOf = new Set(reminded.map(({ outage_id }) => outage_id))
  const cards = await openCards
    .where('kind', 'in', ['outage', 'flapping', 'storm', 'still-down'])
    .where((card) => card.or([card('reason', 'is', null), card('reason', '<>', 'reminder')]))
    .where('acknowledged_by', 'is', null)
    .select(['id', 'remind_at as scheduled'])
    .execute()
  for (const { id, scheduled } of cards) {
    const outages = await outagesOf(rows, id)
    const open = outages.filter(({ endedAt }) => !endedAt)
    const hours = new Set<number>()
    await inTurns(
      // A flapping card may be open while its check is up: its last outage counts then.
      eachInSlices(open.length > 0 ? open : outages.slice(-1), ({ check, status }: Outage) => {
        for (const { watch, fits } of watches) if (fits(check, status)) hours.add(watch.reminderHours)
      }),
    )
    const remindAt = changedReminder(hours, {
      since: open[0]?.startedAt ?? now,
      scheduled: dateOf(scheduled),
      wasReminded: open.some((outage) => remindedOf.has(outage.id)),
      now,
    })
    const remind_at = remindAt?.toISOString() ?? null
    await rows.updateTable('watch_card').set({ remind_at }).where('id', '=', id).execute()
  }
  await scheduleCardsDue(rows, time, place.workspaceId, place.channelId)
}
