import type { Kysely } from 'kysely'
import type { CardState } from '../../domain/watching/card.ts'
import type { CardChange } from '../../domain/watching/tell.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow } from '../database/watch-rows.ts'

/** Rows of one statement: the number of its values is limited, and other work waits for it. */
const AT_ONCE = 100

/** Writes changed cards. Each gets a new version, so that it is sent. */
export async function writeCards(
  rows: Kysely<Schema>,
  place: WatchPlace,
  changes: readonly CardChange[],
): Promise<void> {
  for (const { card, isNew, outageIds } of changes) {
    if (isNew) await rows.insertInto('watch_card').values(newRow(place, card)).execute()
    else
      await rows
        .updateTable('watch_card')
        .set((row) => ({ ...changedRow(card), version: row('version', '+', 1) }))
        .where('id', '=', card.id)
        .execute()
    await linkOutages(rows, card.id, outageIds)
  }
}

async function linkOutages(rows: Kysely<Schema>, cardId: string, ids: readonly string[]): Promise<void> {
  for (const some of chunksOf(ids, AT_ONCE))
    await rows
      .insertInto('watch_card_outage')
      .values(some.map((outage_id) => ({ card_id: cardId, outage_id })))
      .onConflict((conflict) => conflict.columns(['card_id', 'outage_id']).doNothing())
      .execute()
}

const textOf = (date: Date | undefined): string | null => date?.toISOString() ?? null

const changedRow = (card: CardState) => ({
  kind: card.kind,
  reason: card.reason ?? null,
  meanwhile: card.meanwhile ? JSON.stringify(card.meanwhile) : null,
  period: card.period ? JSON.stringify(card.period) : null,
  opened_at: card.openedAt.toISOString(),
  changed_at: card.changedAt.toISOString(),
  closed_at: textOf(card.closedAt),
  unwatched_at: textOf(card.unwatchedAt),
  remind_at: textOf(card.remindAt),
})

const newRow = (place: WatchPlace, card: CardState): WatchCardRow => ({
  ...changedRow(card),
  id: card.id,
  workspace_id: place.workspaceId,
  enterprise_id: place.enterpriseId ?? null,
  environment: place.environment,
  channel_id: place.channelId,
  acknowledged_by: null,
  acknowledged_name: null,
  acknowledged_at: null,
  version: 1,
  shown_version: 0,
  shown_at: null,
  shown_kind: null,
  ts: null,
  details_ts: null,
  // So far there is only the card itself to send.
  details_version: 1,
  attempted_at: null,
  look_at: null,
})
