import type { Kysely } from 'kysely'
import type { StillDownReason } from '../../domain/watching/card.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { dateOf, newWatchingId } from './row.ts'
import { saveAndQueueCards } from './write-cards.ts'

/** Tells the channel on one card what was down when it was last seen; writes no card when nothing is down. */
export async function tellStillDown(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  outages: readonly Outage[],
  { reason, at }: { reason: StillDownReason; at: Date },
): Promise<void> {
  if (outages.length === 0) return
  const card = {
    id: newWatchingId(),
    environment: place.environment,
    channelId: place.channelId,
    kind: 'still-down' as const,
    openedAt: (await blindSince(rows, place)) ?? at,
    changedAt: at,
    reason,
  }
  await saveAndQueueCards(rows, time, place, [{ card, isNew: true, outageIds: outages.map(({ id }) => id) }])
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
