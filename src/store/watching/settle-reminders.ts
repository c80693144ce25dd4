import type { Kysely } from 'kysely'
import type { Outage } from '../../domain/watching/outage.ts'
import { changedReminder } from '../../domain/watching/reminder.ts'
import { eachInSlices } from '../../domain/watching/slices.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import { inTurns } from '../../turns.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { outagesOf } from './cards.ts'
import { scheduleCardsDue } from './due-cards.ts'
import { dateOf } from './row.ts'
import { channelWatches } from './still-down.ts'

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
    .where('workspace_id', '=', place.workspaceId)
    .where('channel_id', '=', place.channelId)
    .where('environment', '=', place.environment)
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
