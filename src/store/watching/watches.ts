import type { Kysely } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { NewWatch, PauseReason, Watch, WatchTerms } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { tellOfBlindness } from './blind-cards.ts'
import { pause, pollsOf, resume, startPolling } from './pause-watches.ts'
import { newWatchingId, placeRow, watchOf } from './row.ts'
import { settleChannel, settlePolling } from './settle.ts'
import { settleReminders } from './settle-reminders.ts'
import { refuseAtLimit } from './watch-limits.ts'
import { turnOf } from './watch-work.ts'

export interface Watches {
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
  /**
   * Resumes the paused watches of a channel; one card tells what is down there. Returns how many there were.
   */
  resume(workspaceId: string, channelId: string, now: Date): Promise<number>
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
            ...termsRow(terms),
            changed_at: now.toISOString(),
            ...(isAnother && { matched: null }),
            // Its baseline must not become news because it is confirmed later.
            ...((isAnother || terms.afterBadPolls > before.afterBadPolls) && { baseline_poll: polls }),
          })
          .where('id', '=', id)
          .execute()
        await settleChannel(transaction, time, before, now)
        await resume(transaction, time, workspaceId, before.channelId, now)
        if (terms.reminderHours !== before.reminderHours)
          await settleReminders(transaction, time, before, now)
        return find(transaction, workspaceId, id)
      }),

    remove: (workspaceId, id, now) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const watch = await find(transaction, workspaceId, id)
        if (!watch) return false
        await transaction.deleteFrom('watch').where('id', '=', id).execute()
        await settleChannel(transaction, time, watch, now)
        await settlePolling(transaction, watch, now)
        return true
      }),

    resume: (workspaceId, channelId, now) =>
      inTurn(turnOf(workspaceId), (transaction) => resume(transaction, time, workspaceId, channelId, now)),

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

const termsRow = ({ filter, afterBadPolls, notify, reminderHours }: WatchTerms) => ({
  filter: JSON.stringify(filter),
  after_bad_polls: afterBadPolls,
  notify,
  reminder_hours: reminderHours,
})

async function insert(rows: Kysely<Schema>, time: DatabaseTime, watch: NewWatch): Promise<Watch> {
  const row = {
    ...placeRow(watch),
    ...termsRow(watch),
    id: watch.id ?? newWatchingId(),
    owner_id: watch.ownerId,
    made_at: watch.madeAt.toISOString(),
    changed_at: watch.madeAt.toISOString(),
    baseline_poll: await pollsOf(rows, watch.workspaceId, watch.environment),
    matched: null,
    paused_at: null,
    pause_reason: null,
  }
  await rows.insertInto('watch').values(row).execute()
  await startPolling(rows, time, watch.workspaceId, watch.environment)
  await tellOfBlindness(rows, time, watch, watch.madeAt)
  return watchOf(row)
}
