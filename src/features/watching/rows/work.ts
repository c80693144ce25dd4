import { type DatabaseTime, type Rows, schedule } from '@signalman/durable'
import type { WatchScope } from '../rules/watch.ts'

/** Kinds of work that watching schedules. */
export const WATCH_WORK = {
  /** Polls an environment. The key is its name. */
  poll: 'watch.poll',
  /** Decides again when something is due. The key is the environment. */
  update: 'watch.due',
  /** Sends a channel's pending messages. The key is the channel. */
  deliver: 'watch.deliver',
  /** Tells people in a DM what a message can't tell them in its channel. The key is the ID of the message. */
  tell: 'watch.tell',
} as const

export const schedulePolling = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment: key }: WatchScope,
) => schedule(rows, time, { workspaceId, kind: WATCH_WORK.poll, key })

export const scheduleUpdate = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment: key }: WatchScope,
  dueAt?: Date,
) => schedule(rows, time, { workspaceId, kind: WATCH_WORK.update, key }, dueAt)

export const scheduleDelivery = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId: key }: { readonly workspaceId: string; readonly channelId: string },
  dueAt?: Date,
) => schedule(rows, time, { workspaceId, kind: WATCH_WORK.deliver, key }, dueAt)

export const scheduleTelling = (rows: Rows, time: DatabaseTime, workspaceId: string, postId: string) =>
  schedule(rows, time, { workspaceId, kind: WATCH_WORK.tell, key: postId })
