import type { Kysely } from 'kysely'
import { isMutedBy } from '../../domain/watching/subjects.ts'
import type { CheckFacts, Mute } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { scheduleDelivery } from './watch-work.ts'

/** Schedules an edit of the open cards that a mute is about, so that they show it, or no longer do. */
export async function redrawMuted(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId, environment, about }: Mute,
): Promise<void> {
  const open = await rows
    .selectFrom('watch_card')
    .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
    .select(['watch_card.id', 'watch_outage.facts'])
    .where('watch_card.workspace_id', '=', workspaceId)
    .where('watch_card.channel_id', '=', channelId)
    .where('watch_card.environment', '=', environment)
    .where('watch_card.closed_at', 'is', null)
    .execute()
  // Written by this program alone.
  const meant = open.filter(({ facts }) => isMutedBy(about, JSON.parse(facts) as CheckFacts))
  const ids = [...new Set(meant.map(({ id }) => id))]
  for (const id of ids)
    await rows
      .updateTable('watch_card')
      .set((card) => ({ version: card('version', '+', 1) }))
      .where('id', '=', id)
      .execute()
  if (ids.length > 0) await scheduleDelivery(rows, time, workspaceId, channelId)
}
