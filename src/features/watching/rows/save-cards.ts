import { chunksOf, type DatabaseTime, deleteIn, type Rows, updateIn } from '@signalman/durable'
import { sql } from 'kysely'
import { scheduleCalls } from '../escalation/rows.ts'
import { scheduleLooks } from '../first-look/rows.ts'
import type { CardChange, CardState } from '../rules/card.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { PLACE, type WatchCardRow } from './columns.ts'
import { cardRow } from './row.ts'
import { scheduleCardsDue, scheduleDelivery } from './watch-work.ts'

/** Writes cards and schedules their delivery to Slack. */
export async function saveAndQueueCards(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  changes: readonly CardChange[],
): Promise<void> {
  if (changes.length === 0) return
  await writeCards(rows, place, changes)
  await scheduleDelivery(rows, time, place)
  await scheduleCardsDue(rows, time, place)
  const telling = changes.filter(({ card, isDropped }) => !card.closedAt && !card.acknowledged && !isDropped)
  const ids = telling.map(({ card }) => card.id)
  await scheduleCalls(rows, time, place, ids)
  await scheduleLooks(rows, time, place.workspaceId, telling)
}

/** Rows of one statement: the number of its values is limited, and other work waits for it. */
const LINKS_AT_ONCE = 100

/** Writes changed cards. Each that is shown gets a new version, so that it is sent. */
async function writeCards(rows: Rows, place: WatchPlace, changes: readonly CardChange[]): Promise<void> {
  for (const { card, isNew, isShown = true, isDropped, outageIds } of changes) {
    if (isDropped) {
      await deleteIn(rows, 'watch_card', { id: card.id })
      continue
    }
    if (isNew) await rows.insertInto('watch_card').values(newRow(place, card)).execute()
    else {
      const shown = isShown && { version: sql<number>`version + 1` }
      await updateIn(rows, 'watch_card', { id: card.id }, { ...cardRow(card), ...shown })
    }
    await linkOutages(rows, card.id, outageIds)
  }
}

async function linkOutages(rows: Rows, cardId: string, ids: readonly string[]): Promise<void> {
  for (const some of chunksOf(ids, LINKS_AT_ONCE))
    await rows
      .insertInto('watch_card_outage')
      .values(some.map((outage_id) => ({ card_id: cardId, outage_id })))
      .onConflict((conflict) => conflict.columns(['card_id', 'outage_id']).doNothing())
      .execute()
}

const newRow = (place: WatchPlace, card: CardState): WatchCardRow => ({
  ...cardRow(card),
  ...PLACE.row(place),
  version: 1,
  shown_version: 0,
  shown_at: null,
  shown_kind: null,
  ts: null,
  details_ts: null,
  // So far there is only the card itself to send.
  details_version: 1,
  look_at: null,
})
