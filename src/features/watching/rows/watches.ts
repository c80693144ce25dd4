import { type Database, type DatabaseTime, type Schema, schedule } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import { scheduleCalls } from '../escalation/rows.ts'
import {
  MOST_MUTES,
  MOST_WATCHES,
  type NewWatch,
  type PauseReason,
  TRY_PAUSED_MS,
  type Watch,
  WatchingFull,
  type WatchTerms,
} from '../rules/watch.ts'
import { POLL, TERMS, WATCH } from './columns.ts'
import { pollOf } from './poll-rows.ts'
import { mergeUnread, reconcileChannel } from './reconcile-channel.ts'
import { watchOf } from './row.ts'
import { settlePolling } from './settle-polling.ts'
import {
  inChannel,
  type OutsideReaders,
  outsideReaders,
  pollGroupOf,
  scheduleDelivery,
  schedulePolls,
  tryDelivery,
  turnOf,
  WATCH_WORK,
} from './watch-work.ts'

export interface Watches extends OutsideReaders {
  /** The watches of the workspace, or of one channel; by channel, oldest first. */
  list(workspaceId: string, where?: { channelId?: string; environment?: Environment }): Promise<Watch[]>
  find(workspaceId: string, id: string): Promise<Watch | undefined>
  /**
   * Adds a watch and polls at once; resumes paused watches of its channel. Returns an existing watch with this id and changes nothing.
   * Throws WatchingFull at the limit.
   */
  add(watch: NewWatch): Promise<Watch>
  /**
   * Changes a watch. With another filter, what is down now is its new baseline, and cards that its channel no longer watches say so.
   * A changed reminder also holds for what is down now. Resumes paused watches of its channel. Undefined when the watch is gone.
   */
  change(workspaceId: string, id: string, terms: WatchTerms, now: Date): Promise<Watch | undefined>
  /** Deletes a watch; cards that its channel no longer watches say so. False when it was gone. */
  remove(workspaceId: string, id: string, now: Date): Promise<boolean>
  /** Resumes the paused watches of a channel, `but` not for this reason; one card tells what it missed. Returns how many. */
  resume(workspaceId: string, channelId: string, now: Date, but?: PauseReason): Promise<number>
  /** Tries the paused channels of these at once. Returns how many there are. */
  tryAgain(workspaceId: string, of: { channelId: string } | { ownerId: string }): Promise<number>
  /** Pauses every watch of a channel, and schedules messages to their owners. Returns how many were not paused before. */
  pause(workspaceId: string, channelId: string, why: PauseReason, now: Date): Promise<number>
}

/** The rows of `watch`. */
export function watches(database: Database, time: DatabaseTime): Watches {
  const { rows, inTurn } = database
  return {
    async list(workspaceId, { channelId, environment } = {}) {
      let query = rows.selectFrom('watch').selectAll().where('workspace_id', '=', workspaceId)
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId)
      if (environment !== undefined) query = query.where('environment', '=', environment)
      const found = await query.orderBy('channel_id').orderBy('made_at').orderBy('id').execute()
      return found.map(watchOf)
    },

    find: (workspaceId, id) => find(rows, workspaceId, id),

    add: (watch) =>
      inTurn(turnOf(watch.workspaceId), async (transaction) => {
        const known = watch.id && (await find(transaction, watch.workspaceId, watch.id))
        if (known) return known
        await refuseAtLimit(transaction, 'watch', watch.workspaceId)
        // One paused watch holds back all messages of its channel.
        await resume(transaction, time, watch.workspaceId, watch.channelId, watch.madeAt)
        return await insert(transaction, time, watch)
      }),

    change: (workspaceId, id, terms, now) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const before = await find(transaction, workspaceId, id)
        if (!before) return undefined
        const isAnother = JSON.stringify(before.filter) !== JSON.stringify(terms.filter)
        const polls = await pollsOf(transaction, workspaceId, before.environment)
        await transaction
          .updateTable('watch')
          .set({
            ...TERMS.row(terms),
            changed_at: now.toISOString(),
            ...(isAnother && { matched: null }),
            // Its baseline must not become news because it is confirmed later.
            ...((isAnother || terms.afterBadPolls > before.afterBadPolls) && { baseline_poll: polls }),
          })
          .where('id', '=', id)
          .execute()
        const areHoursNew = terms.reminderHours !== before.reminderHours
        await reconcileChannel(transaction, time, before, { areHoursNew })
        await settlePolling(transaction, before, now)
        await resume(transaction, time, workspaceId, before.channelId, now)
        await scheduleCalls(transaction, time, before)
        return find(transaction, workspaceId, id)
      }),

    remove: (workspaceId, id, now) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const watch = await find(transaction, workspaceId, id)
        if (!watch) return false
        await transaction.deleteFrom('watch').where('id', '=', id).execute()
        await reconcileChannel(transaction, time, watch)
        await settlePolling(transaction, watch, now)
        return true
      }),

    resume: (workspaceId, channelId, now, but) =>
      inTurn(turnOf(workspaceId), (transaction) =>
        resume(transaction, time, workspaceId, channelId, now, but),
      ),

    async tryAgain(workspaceId, of) {
      const found = await pausedChannels(rows, workspaceId, of)
      for (const { channel_id } of found) await tryDelivery(rows, time, workspaceId, channel_id)
      return found.length
    },

    ...outsideReaders(database, time),

    pause: (workspaceId, channelId, why, now) =>
      inTurn(turnOf(workspaceId), (transaction) =>
        pause(transaction, time, { workspaceId, channelId, why, now }),
      ),
  }
}

async function find(rows: Kysely<Schema>, workspaceId: string, id: string): Promise<Watch | undefined> {
  const row = await rows
    .selectFrom('watch')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row && watchOf(row)
}

async function insert(rows: Kysely<Schema>, time: DatabaseTime, watch: NewWatch): Promise<Watch> {
  const row = WATCH.row({
    ...watch,
    id: watch.id ?? newId(),
    changedAt: watch.madeAt,
    baselinePoll: await pollsOf(rows, watch.workspaceId, watch.environment),
  })
  await rows.insertInto('watch').values(row).execute()
  await scheduleCalls(rows, time, watch)
  await startPolling(rows, time, watch.workspaceId, watch.environment)
  // While checks cannot be seen, it is told so.
  await reconcileChannel(rows, time, watch)
  return watchOf(row)
}

const pausedChannels = (
  rows: Database['rows'],
  workspaceId: string,
  of: Parameters<Watches['tryAgain']>[1],
): Promise<{ channel_id: string }[]> =>
  rows
    .selectFrom('watch')
    .select('channel_id')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('paused_at', 'is not', null)
    .where((row) => ('channelId' in of ? inChannel(row, of.channelId) : row('owner_id', '=', of.ownerId)))
    .execute()

export async function pollsOf(
  rows: Kysely<Schema>,
  workspaceId: string,
  environment: Environment,
): Promise<number> {
  const row = await pollOf(rows, { workspaceId, environment })
  return row?.polls ?? 0
}

/** Polls that run already go on unchanged. */
async function startPolling(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  environment: Environment,
): Promise<void> {
  const group = pollGroupOf(workspaceId)
  const begun = await rows
    .insertInto('watch_poll')
    .values({
      ...POLL.row({
        ...{ workspaceId, environment, pollGroup: group, polls: 0, statuses: [], isBlind: false },
        dueAt: new Date(0),
      }),
      due_at: time(),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .executeTakeFirst()
  if ((begun.numInsertedOrUpdatedRows ?? 0n) > 0n) await schedulePolls(rows, time, group)
}

export async function resume(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
  now: Date,
  but?: PauseReason,
): Promise<number> {
  const { numUpdatedRows } = await rows
    .updateTable('watch')
    .set({ paused_at: null, pause_reason: null, changed_at: now.toISOString() })
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where((row) => (but ? row('pause_reason', '<>', but) : row('paused_at', 'is not', null)))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return 0
  await mergeUnread(rows, time, workspaceId, channelId)
  await scheduleDelivery(rows, time, workspaceId, channelId)
  return Number(numUpdatedRows)
}

type PlaceOfWatches = Pick<Watch, 'workspaceId' | 'channelId'>

export async function pause(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId, why, now }: PlaceOfWatches & { why: PauseReason; now: Date },
): Promise<number> {
  const paused = await rows
    .updateTable('watch')
    // No full listing counts for it until it is resumed.
    .set({ paused_at: now.toISOString(), pause_reason: why, matched: null })
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('paused_at', 'is', null)
    .returning('environment')
    .execute()
  if (paused.length === 0) return 0
  await schedule(rows, time, { workspaceId, kind: WATCH_WORK.paused, key: channelId })
  await tryDelivery(rows, time, workspaceId, channelId, new Date(now.getTime() + TRY_PAUSED_MS))
  return paused.length
}

/** Throws WatchingFull at the limit of watches or mutes. Call it in the workspace's turn only, else two requests pass at once. */
export async function refuseAtLimit(
  rows: Kysely<Schema>,
  table: 'watch' | 'watch_mute',
  workspaceId: string,
): Promise<void> {
  const most = table === 'watch' ? MOST_WATCHES : MOST_MUTES
  const { many } = await rows
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('many'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(many) >= most) throw new WatchingFull(table === 'watch' ? 'watches' : 'mutes', most)
}
