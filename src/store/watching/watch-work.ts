import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { schedule } from '../work/schedule.ts'

/** Kinds of work that watching schedules. The key is the channel's id unless said otherwise. */
export const WATCH_WORK = {
  /** Polls one group of workspaces; the key is the group, and there is no workspace. */
  poll: 'watch.poll',
  /** Sends the cards of a channel that are behind. */
  deliver: 'watch.deliver',
  /** Reminds, and ends flapping. */
  due: 'watch.due',
  /** Ends a mute; the key is its id. */
  muteEnd: 'watch.mute-end',
  /** The daily summary; its key is the channel and the environment. */
  digest: 'watch.digest',
  /** Tells owners of watches that these are paused. */
  paused: 'watch.paused',
} as const

/** The number of groups in which workspaces are polled; one process polls a group at a time. */
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

/** Changes of one workspace's watching run one after the other, in this turn. */
export const turnOf = (workspaceId: string): string => `watching of ${workspaceId}`
