import { type DatabaseTime, type Rows, schedule, selectRows } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { type ChannelKey, channelKeyColumns } from './row.ts'

/** Kinds of work that watching schedules. The key is the channel's ID unless noted. */
export const WATCH_WORK = {
  /** Polls one group of workspaces. The key is the group. This work doesn't belong to a workspace. */
  poll: 'watch.poll',
  /** Sends a channel's pending cards. */
  deliver: 'watch.deliver',
  /** Updates an environment on its timer. The key is the environment. */
  update: 'watch.due',
  /** Announces, starts, and ends a silence. The key is the ID of its plan. */
  silence: 'watch.silence',
  /** Looks up whom Slack can notify, and pages whoever is due. The key is the environment. */
  page: 'watch.page',
  /** Notifies the owners of a channel's paused watches. */
  paused: 'watch.paused',
} as const

/** The number of poll groups. One process at a time polls a group; a process may poll several. */
export const POLL_GROUPS = 256

/** How long unchanged polls may stay unsaved. */
export const MAX_UNSAVED_MS = 5 * MINUTE_MS

/** The poll group of a workspace, the same in every process. */
export function hashToPollGroup(workspaceId: string): number {
  let sum = 0
  for (const letter of workspaceId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return sum % POLL_GROUPS
}

export const schedulePolls = (rows: Rows, time: DatabaseTime, group: number): Promise<void> =>
  schedule(rows, time, { workspaceId: '', kind: WATCH_WORK.poll, key: String(group) })

/** Schedules the channel's pending messages. Does nothing for a paused channel, which has its own retry schedule. */
export async function scheduleDelivery(rows: Rows, time: DatabaseTime, channel: ChannelKey): Promise<void> {
  if (!(await isPaused(rows, channel))) await scheduleDeliveryAttempt(rows, time, channel)
}

/** Schedules edits of cards whose content changed in a way that `decide` doesn't see. */
export async function redrawCards(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  cardIds: readonly string[],
): Promise<void> {
  if (cardIds.length === 0) return
  const redrawn = await rows
    .updateTable('watch_card')
    .set((card) => ({ version: card('version', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', cardIds)
    .returning('channel_id')
    .execute()
  for (const channelId of new Set(redrawn.map(({ channel_id }) => channel_id)))
    await scheduleDelivery(rows, time, { workspaceId, channelId })
}

/** Schedules a delivery now or at `dueAt`, even for a paused channel. */
export const scheduleDeliveryAttempt = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId: key }: ChannelKey,
  dueAt?: Date,
): Promise<void> => schedule(rows, time, { workspaceId, kind: WATCH_WORK.deliver, key }, dueAt)

/** One paused watch pauses the whole channel. */
async function isPaused(rows: Rows, channel: ChannelKey): Promise<boolean> {
  const paused = selectRows(rows, 'watch', channelKeyColumns(channel)).where('paused_at', 'is not', null)
  return (await paused.limit(1).executeTakeFirst()) !== undefined
}

/** The name of the lock that serializes changes to one workspace's watching. */
export const watchingLock = (workspaceId: string): string => `watching of ${workspaceId}`
