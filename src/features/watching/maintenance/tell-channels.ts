import type { DatabaseTime, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import { reconcileChannel } from '../rows/reconcile-channel.ts'
import { scopeColumns, watchOf, watchPlaceOf } from '../rows/row.ts'
import { channelIn, type WatchPlace } from '../rules/watch.ts'
import { type MaintenanceWindow, mayConcern } from './rules.ts'

/** Opens, edits or closes the card of a window in each channel that it concerns; at its end, tells what is still down. */
export async function tellChannels(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  window: MaintenanceWindow,
): Promise<void> {
  const { id, about, state } = window
  const told = await channelsTold(rows, window)
  const isOver = state === 'over'
  // What was called off before it began has silenced nothing.
  const hasBegun = window.to > window.from
  for (const place of await concerned(rows, window)) {
    told.delete(place.channelId)
    await reconcileChannel(rows, time, place, {
      redraw: about,
      ...(state !== 'planned' && { maintenance: { id, isOver } }),
      ...(isOver && hasBegun && { unmuted: { subjects: [about], reason: 'maintenance-over' } }),
    })
  }
  // The channel does not watch any more, or the plan is about something else now.
  for (const place of told.values())
    await reconcileChannel(rows, time, place, { maintenance: { id, isOver: true } })
}

/** Where a card tells of a window and is not closed. */
async function channelsTold(rows: Kysely<Schema>, { workspaceId, environment, id }: MaintenanceWindow) {
  const found = await rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and(scopeColumns({ workspaceId, environment })))
    .where('maintenance_id', '=', id)
    .where('closed_at', 'is', null)
    .execute()
  return new Map(found.map((row) => [row.channel_id, watchPlaceOf(row)]))
}

/** The channels, and threads in them, that watch anything which a window is about. */
export async function concerned(rows: Kysely<Schema>, window: MaintenanceWindow): Promise<WatchPlace[]> {
  const query = rows
    .selectFrom('watch')
    .selectAll()
    .where((row) => row.and(scopeColumns(window)))
  const watches = (await query.orderBy('channel_id').execute()).map(watchOf)
  const isHere = ({ channelId }: Pick<WatchPlace, 'channelId'>): boolean =>
    window.channelId === undefined || window.channelId === channelIn(channelId)
  const telling = watches.filter((watch) => isHere(watch) && mayConcern(watch.filter, window.about))
  return [...new Map(telling.map((watch) => [watch.channelId, placeOf(watch)])).values()]
}

const placeOf = ({ workspaceId, enterpriseId, channelId, environment }: WatchPlace): WatchPlace => ({
  ...{ workspaceId, channelId, environment },
  ...(enterpriseId !== undefined && { enterpriseId }),
})
