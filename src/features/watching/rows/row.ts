import { type Rows, selectRows } from '@signalman/durable'
import type { Watch, WatchChannel } from '../rules/watch.ts'
import { CHANNEL, SCOPE, WATCH, WATCH_CHANNEL } from './columns.ts'

/** Reads the first row of a query and converts it. Undefined if the query finds nothing. */
export async function readFirst<Row, Result>(
  query: { executeTakeFirst(): Promise<Row | undefined> },
  convert: (row: Row) => Result | Promise<Result>,
): Promise<Result | undefined> {
  const row = await query.executeTakeFirst()
  return row && convert(row)
}

/** One environment of a workspace. */
export type WatchScope = Pick<WatchChannel, 'workspaceId' | 'environment'>
/** Identifies a channel or thread in both environments. */
export type ChannelKey = Pick<WatchChannel, 'workspaceId' | 'channelId'>

export const scopeColumns = SCOPE.toRow
export const channelColumns = CHANNEL.toRow
export const channelKeyColumns = ({ workspaceId, channelId }: ChannelKey) => ({
  workspace_id: workspaceId,
  channel_id: channelId,
})
export const toWatchChannel: (row: ReturnType<typeof WATCH_CHANNEL.toRow>) => WatchChannel =
  WATCH_CHANNEL.parse

export function toWatch(row: ReturnType<typeof WATCH.toRow>): Watch {
  const { pausedAt: at, pauseReason: reason = 'refused', ...watch } = WATCH.parse(row)
  return { ...watch, paused: at && { at, reason } }
}

/** The watches of a channel in both environments, oldest first. */
export const readChannelWatches = async (rows: Rows, channel: ChannelKey): Promise<Watch[]> =>
  (
    await selectRows(rows, 'watch', channelKeyColumns(channel)).orderBy('made_at').orderBy('id').execute()
  ).map(toWatch)
