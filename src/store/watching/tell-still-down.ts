import type { Kysely } from 'kysely'
import type { StillDownReason } from '../../domain/watching/card.ts'
import type { DueOutage } from '../../domain/watching/due.ts'
import { firstReminder } from '../../domain/watching/reminder.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { dateOf, newWatchingId } from './row.ts'
import { saveAndQueueCards } from './write-cards.ts'

/**
 * Tells the channel on one card what was down when it was last seen; writes no card when nothing is down. The card is the one to
 * remind of what no other open card tells.
 */
export async function tellStillDown(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  dues: readonly Pick<DueOutage, 'outage' | 'reminderMs'>[],
  { reason, at }: { reason: StillDownReason; at: Date },
): Promise<void> {
  if (dues.length === 0) return
  const told = await toldByOpenCards(rows, place)
  const untold = dues.filter(({ outage }) => !told.has(outage.id))
  const card = {
    id: newWatchingId(),
    environment: place.environment,
    channelId: place.channelId,
    kind: 'still-down' as const,
    openedAt: (await blindSince(rows, place)) ?? at,
    changedAt: at,
    remindAt: firstReminder(untold, at),
    reason,
  }
  const outageIds = dues.map(({ outage }) => outage.id)
  await saveAndQueueCards(rows, time, place, [{ card, isNew: true, outageIds }])
}

/** Ids of the outages that the channel's open cards tell of. */
async function toldByOpenCards(
  rows: Kysely<Schema>,
  { workspaceId, channelId, environment }: WatchPlace,
): Promise<Set<string>> {
  const told = await rows
    .selectFrom('watch_card')
    .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
    .select('outage_id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('environment', '=', environment)
    .where('closed_at', 'is', null)
    .execute()
  return new Set(told.map(({ outage_id }) => outage_id))
}

/** When the checks were last seen; undefined while they are seen. */
async function blindSince(
  rows: Kysely<Schema>,
  { workspaceId, environment }: WatchPlace,
): Promise<Date | undefined> {
  const blind = await rows
    .selectFrom('watch_poll')
    .select('last_ok_at')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('is_blind', '=', 1)
    .executeTakeFirst()
  return dateOf(blind?.last_ok_at ?? null)
}
