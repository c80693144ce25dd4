import type { DatabaseTime, Schema } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { saveAndQueueCards } from '../rows/cards.ts'
import { reconcileChannel } from '../rows/reconcile-channel.ts'
import { cardOf, scopeColumns, watchOf, watchPlaceOf } from '../rows/row.ts'
import type { WatchCardRow } from '../rows/tables.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { type MaintenanceWindow, mayConcern } from './rules.ts'

/** Opens, edits or closes the card of a window in each channel that it concerns; at its end, tells what is still down. */
export async function tellChannels(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  window: MaintenanceWindow,
  now: Date,
): Promise<void> {
  const cards = await cardsOf(rows, window)
  const isOver = window.state === 'over'
  for (const place of await concerned(rows, window)) {
    const known = cards.get(place.channelId)
    cards.delete(place.channelId)
    // What nobody was told of needs no word about its end.
    if (window.state !== 'planned' && (known || !isOver))
      await saveCard(rows, time, place, window, known, now)
    await reconcileChannel(rows, time, place, {
      redraw: window.about,
      ...(isOver && { unmuted: { subjects: [window.about], reason: 'maintenance-over' } }),
    })
  }
  // The channel does not watch any more, or the plan is about something else now.
  for (const row of cards.values()) await saveCard(rows, time, watchPlaceOf(row), window, row, now, true)
}

async function saveCard(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  window: MaintenanceWindow,
  known: WatchCardRow | undefined,
  now: Date,
  isClosed = window.state === 'over',
): Promise<void> {
  const fresh = {
    id: newId(),
    environment: window.environment,
    channelId: place.channelId,
    kind: 'maintenance' as const,
    openedAt: now,
    maintenanceId: window.id,
  }
  const card = { ...(known ? cardOf(known) : fresh), changedAt: now, ...(isClosed && { closedAt: now }) }
  await saveAndQueueCards(rows, time, place, [{ card, isNew: !known, outageIds: [] }])
}

/** The cards that tell of a window and are not closed, by channel. */
async function cardsOf(rows: Kysely<Schema>, { workspaceId, environment, id }: MaintenanceWindow) {
  const found = await rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and(scopeColumns({ workspaceId, environment })))
    .where('maintenance_id', '=', id)
    .where('closed_at', 'is', null)
    .execute()
  return new Map(found.map((row) => [row.channel_id, row]))
}

/** The channels that watch anything which a window is about. */
export async function concerned(rows: Kysely<Schema>, window: MaintenanceWindow): Promise<WatchPlace[]> {
  let query = rows
    .selectFrom('watch')
    .selectAll()
    .where((row) => row.and(scopeColumns(window)))
  if (window.channelId !== undefined) query = query.where('channel_id', '=', window.channelId)
  const watches = (await query.orderBy('channel_id').execute()).map(watchOf)
  const telling = watches.filter(({ filter }) => mayConcern(filter, window.about))
  return [...new Map(telling.map((watch) => [watch.channelId, placeOf(watch)])).values()]
}

const placeOf = ({ workspaceId, enterpriseId, channelId, environment }: WatchPlace): WatchPlace => ({
  ...{ workspaceId, channelId, environment },
  ...(enterpriseId !== undefined && { enterpriseId }),
})
