import { type Database, type DatabaseTime, type Schema, schedule, unschedule } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { FLAPPING_QUIET_MS } from '../rules/noise.ts'
import type { PauseReason } from '../rules/watch.ts'

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
  /** Announces, begins and ends planned maintenance; the key is the plan. */
  maintenance: 'watch.maintenance',
  /** Calls people about a card that nobody is on; the key is the card. */
  call: 'watch.call',
  /** Looks from here at what a card tells of; the key is the outage. */
  look: 'watch.look',
  /** The daily summary; its key is the channel and the environment. */
  digest: 'watch.digest',
  /** Tells owners of watches that these are paused. */
  paused: 'watch.paused',
} as const

/** The number of groups in which workspaces are polled; one process polls a group at a time, and any number of them. */
export const POLL_GROUPS = 256

/** How long a process that polls a group may know alone when its scopes were looked at last, and are due. */
export const HELD_MS = 5 * MINUTE_MS

/** The group of a workspace, the same in every process. */
export function pollGroupOf(workspaceId: string): number {
  let sum = 0
  for (const sign of workspaceId) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 65_521
  return sum % POLL_GROUPS
}

export const schedulePolls = (rows: Kysely<Schema>, time: DatabaseTime, group: number): Promise<void> =>
  schedule(rows, time, { workspaceId: '', kind: WATCH_WORK.poll, key: String(group) })

/** Does nothing for a paused channel, which is tried again at times of its own. */
export async function scheduleDelivery(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
): Promise<void> {
  if (await isPaused(rows, workspaceId, channelId)) return
  await tryDelivery(rows, time, workspaceId, channelId)
}

/** Also of a paused channel: what is refused there leaves it paused. At once, or then. */
export const tryDelivery = (
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
  dueAt?: Date,
): Promise<void> => schedule(rows, time, { workspaceId, kind: WATCH_WORK.deliver, key: channelId }, dueAt)

/** One paused watch holds back all messages of its channel. */
export async function isPaused(
  rows: Kysely<Schema>,
  workspaceId: string,
  channelId: string,
  why?: PauseReason,
): Promise<boolean> {
  const paused = rows
    .selectFrom('watch')
    .select('id')
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('paused_at', 'is not', null)
    .limit(1)
  const found = why === undefined ? paused : paused.where('pause_reason', '=', why)
  return (await found.executeTakeFirst()) !== undefined
}

/** Changes of one workspace's watching run one after the other, in this turn. */
export const turnOf = (workspaceId: string): string => `watching of ${workspaceId}`

/** Schedules the next reminder of a channel's cards, or the end of flapping. */
export async function scheduleCardsDue(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
): Promise<void> {
  const work = { workspaceId, kind: WATCH_WORK.due, key: channelId }
  const next = await nextCardDue(rows, workspaceId, channelId)
  if (next) await schedule(rows, time, work, next)
  else await unschedule(rows, work)
}

export async function nextCardDue(
  rows: Kysely<Schema>,
  workspaceId: string,
  channelId: string,
): Promise<Date | undefined> {
  const open = rows
    .selectFrom('watch_card')
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('closed_at', 'is', null)
  const { remind } = await open
    .select((row) => row.fn.min('remind_at').as('remind'))
    .executeTakeFirstOrThrow()
  const { flipped } = await open
    .where('kind', '=', 'flapping')
    .select((row) => row.fn.min('changed_at').as('flipped'))
    .executeTakeFirstOrThrow()
  const times = [
    ...(remind ? [new Date(remind).getTime()] : []),
    ...(flipped ? [new Date(flipped).getTime() + FLAPPING_QUIET_MS] : []),
  ]
  return times.length > 0 ? new Date(Math.min(...times)) : undefined
}

/** With its threads. */
export const inChannel = (row: ExpressionBuilder<Schema, 'watch'>, channelId: string) =>
  row.or([row('channel_id', '=', channelId), row('channel_id', 'like', `${channelId}/%`)])

export interface OutsideReaders {
  /**
   * People of another organization read a channel, with its threads: watches there are paused until somebody agrees. With `isNews` also
   * where somebody has agreed to others. Returns how many were not paused so before.
   */
  sharedOutside(workspaceId: string, channelId: string, by: { now: Date; isNews: boolean }): Promise<number>
  /** Somebody has agreed that people of another organization read what is told in this place. */
  agreeOutside(workspaceId: string, channelId: string, now: Date): Promise<void>
}

export const outsideReaders = ({ rows, inTurn }: Database, time: DatabaseTime): OutsideReaders => ({
  sharedOutside: (workspaceId, channelId, by) =>
    inTurn(turnOf(workspaceId), (transaction) => holdBack(transaction, time, workspaceId, channelId, by)),

  async agreeOutside(workspace_id, channel_id, now) {
    const watches = rows.updateTable('watch').where((row) => row.and({ workspace_id, channel_id }))
    await watches.set({ agreed_outside_at: now.toISOString() }).execute()
  },
})

/** It is not tried again by itself, unlike what Slack refuses. */
async function holdBack(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
  { now, isNews }: Parameters<OutsideReaders['sharedOutside']>[2],
): Promise<number> {
  let watches = rows
    .updateTable('watch')
    .set({ paused_at: now.toISOString(), pause_reason: 'shared-outside', matched: null })
    .set({ agreed_outside_at: null })
    .where('workspace_id', '=', workspaceId)
    .where((row) => inChannel(row, channelId))
    .where((row) => row.or([row('pause_reason', 'is', null), row('pause_reason', '<>', 'shared-outside')]))
  if (!isNews) watches = watches.where('agreed_outside_at', 'is', null)
  const found = await watches.returning('channel_id').execute()
  for (const key of new Set(found.map(({ channel_id }) => channel_id)))
    await schedule(rows, time, { workspaceId, kind: WATCH_WORK.paused, key })
  return found.length
}
