import { type Rows, rowsIn } from '@signalman/durable'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { CardState } from '../rules/card.ts'
import type { Watch, WatchPlace } from '../rules/watch.ts'
import { CARD, CHANNEL, OUTAGE, PLACE, SCOPE, WATCH } from './columns.ts'

/** What the first row of a query says; undefined when there is none. */
export async function firstOf<Row, Said>(
  query: { executeTakeFirst(): Promise<Row | undefined> },
  said: (row: Row) => Said | Promise<Said>,
): Promise<Said | undefined> {
  const row = await query.executeTakeFirst()
  return row && said(row)
}

/** One environment of a workspace. */
export type ScopeOf = Pick<WatchPlace, 'workspaceId' | 'environment'>
/** A channel, or a thread in it, in all environments. */
export type ChannelOf = Pick<WatchPlace, 'workspaceId' | 'channelId'>

export const scopeColumns = SCOPE.row
export const channelColumns = CHANNEL.row
export const ofChannel = ({ workspaceId, channelId }: ChannelOf) => ({
  workspace_id: workspaceId,
  channel_id: channelId,
})
export const watchPlaceOf: (row: ReturnType<typeof PLACE.row>) => WatchPlace = PLACE.of
export const outageOf: (row: ReturnType<typeof OUTAGE.row>) => Outage = OUTAGE.of

export function watchOf(row: ReturnType<typeof WATCH.row>): Watch {
  const { pausedAt: at, pauseReason: why = 'refused', ...watch } = WATCH.of(row)
  return { ...watch, paused: at && { at, why } }
}

/** In all environments, oldest first. */
export const channelWatches = async (rows: Rows, place: ChannelOf): Promise<Watch[]> =>
  (await rowsIn(rows, 'watch', ofChannel(place)).orderBy('made_at').orderBy('id').execute()).map(watchOf)

export const cardOf: (row: ReturnType<typeof CARD.row>) => CardState = CARD.of
