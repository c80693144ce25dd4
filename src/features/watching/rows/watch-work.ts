import { type DatabaseTime, type Rows, rowsIn, schedule } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { sql } from 'kysely'
import { type ChannelOf, ofChannel } from './row.ts'

/** Kinds of work that watching schedules. The key is the channel's id unless said otherwise. */
export const WATCH_WORK = {
  /** Polls one group of workspaces; the key is the group, and there is no workspace. */
  poll: 'watch.poll',
  /** Sends the cards of a channel that are behind. */
  deliver: 'watch.deliver',
  /** Asks again what a channel should show, and who is called; the key is the channel and the environment. */
  due: 'watch.due',
  /** Announces, begins, and ends a silence; the key is its plan. */
  silence: 'watch.silence',
  /** Calls people about what nobody is on; the key is the call. */
  call: 'watch.call',
  /** Looks from here at what a card tells of; the key is the outage. */
  look: 'watch.look',
  /** The daily summary; its key is the channel and the environment. */
  digest: 'watch.digest',
  /** Checks whether a watch can still notify whom it calls; the key is the watch. */
  people: 'watch.people',
  /** Asks daily whether a person is still on what a card lists; the key is the person and the card. */
  onIt: 'watch.on-it',
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

export const schedulePolls = (rows: Rows, time: DatabaseTime, group: number): Promise<void> =>
  schedule(rows, time, { workspaceId: '', kind: WATCH_WORK.poll, key: String(group) })

/** Does nothing for a paused channel, which is tried again at times of its own. */
export async function scheduleDelivery(rows: Rows, time: DatabaseTime, place: ChannelOf): Promise<void> {
  if (!(await isPaused(rows, place))) await tryDelivery(rows, time, place)
}

/** These cards say something else now, though nothing is decided otherwise about them; `isThreadSame`: the replies in their threads do not. */
export async function redrawCards(
  rows: Rows,
  time: DatabaseTime,
  workspaceId: string,
  cardIds: readonly string[],
  { isThreadSame = false } = {},
): Promise<void> {
  if (cardIds.length === 0) return
  const redrawn = await rows
    .updateTable('watch_card')
    .set((card) => ({
      version: card('version', '+', 1),
      ...(isThreadSame && {
        details_version: sql<number>`case when details_version = version then version + 1 else details_version end`,
      }),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', cardIds)
    .returning('channel_id')
    .execute()
  for (const channelId of new Set(redrawn.map(({ channel_id }) => channel_id)))
    await scheduleDelivery(rows, time, { workspaceId, channelId })
}

/** Also of a paused channel: what is refused there leaves it paused. At once, or then. */
export const tryDelivery = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId: key }: ChannelOf,
  dueAt?: Date,
): Promise<void> => schedule(rows, time, { workspaceId, kind: WATCH_WORK.deliver, key }, dueAt)

/** One paused watch holds back all messages of its channel. */
async function isPaused(rows: Rows, place: ChannelOf): Promise<boolean> {
  const paused = rowsIn(rows, 'watch', ofChannel(place)).where('paused_at', 'is not', null)
  return (await paused.limit(1).executeTakeFirst()) !== undefined
}

/** Changes of one workspace's watching run one after the other, in this turn. */
export const turnOf = (workspaceId: string): string => `watching of ${workspaceId}`
