import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { schedule } from '../work/schedule.ts'

/** Work that watching leaves to be done, each a kind of the one engine. Where no key is named, it is the channel's id. */
export const WATCH_WORK = {
  /** Polls of one group of workspaces, which is its key; of no workspace. */
  poll: 'watch.poll',
  /** The cards of a channel that are behind are sent. */
  deliver: 'watch.deliver',
  /** Reminders, and the end of flapping. */
  due: 'watch.due',
  /** The end of a mute, whose id is its key. */
  muteEnd: 'watch.mute-end',
  /** The daily summary; its key is the channel and the environment. */
  digest: 'watch.digest',
  /** Owners of watches hear that they are paused. */
  paused: 'watch.paused',
} as const

/** Workspaces are polled in so many groups, each by one process at a time. */
const POLL_GROUPS = 32

/** The group of a workspace, the same in every process. */
export function pollGroupOf(workspaceId: string): number {
  let sum = 0
  for (const sign of workspaceId) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 65_521
  return sum % POLL_GROUPS
}

export const schedulePolls = (rows: Kysely<Schema>, time: DatabaseTime, group: number): Promise<void> =>
  schedule(rows, time, { workspaceId: '', kind: WATCH_WORK.poll, key: String(group) })

export const scheduleDelivery = (
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
): Promise<void> => schedule(rows, time, { workspaceId, kind: WATCH_WORK.deliver, key: channelId })

/** What changes the watching of one workspace is done one after the other. */
export const turnOf = (workspaceId: string): string => `watching of ${workspaceId}`
