import type { Kysely } from 'kysely'
import type { Mute, NewMute } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { schedule, unschedule } from '../work/schedule.ts'
import { doesEndTell } from './mute-end.ts'
import { redrawMuted } from './redraw.ts'
import { muteFrom, newWatchingId, placeRow } from './row.ts'
import { refuseAtLimit } from './watch-limits.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

export interface WatchMutes {
  /** The mutes of the workspace or of one channel; the one that ends first comes first. */
  list(workspaceId: string, where?: { channelId?: string }): Promise<Mute[]>
  find(workspaceId: string, id: string): Promise<Mute | undefined>
  /**
   * Adds a mute, and replaces one of the same channel and environment about the same. Returns an existing mute with this id and
   * changes nothing. Open cards say until when they are muted; at the end, one card tells what is still down. Throws
   * WatchingFull.
   */
  add(mute: NewMute): Promise<Mute>
  /** Ends a mute now, as at its time: one card tells what is still down. False when it was over. */
  end(workspaceId: string, id: string): Promise<boolean>
  /** Whether anything is told once these mutes of one channel and environment have all ended. */
  doesEndTell(mutes: readonly Mute[], now: Date): Promise<boolean>
}

/** The rows of `watch_mute`. A mute holds until its row is deleted, a moment after its time. */
export function watchMutes({ rows, inTurn }: Database, time: DatabaseTime): WatchMutes {
  const dueOf = ({ workspaceId, id }: { workspaceId: string; id: string }) => ({
    workspaceId,
    kind: WATCH_WORK.muteEnd,
    key: id,
  })

  return {
    async list(workspaceId, { channelId } = {}) {
      let query = rows.selectFrom('watch_mute').selectAll().where('workspace_id', '=', workspaceId)
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId)
      const found = await query.orderBy('made_at').orderBy('id').execute()
      const lasts = ({ until }: Mute): number => until?.getTime() ?? Number.POSITIVE_INFINITY
      return found.map(muteFrom).sort((left, right) => (lasts(left) < lasts(right) ? -1 : 1))
    },

    find: (workspaceId, id) => findMute(rows, workspaceId, id),

    doesEndTell: (mutes, now) => doesEndTell(rows, mutes, now),

    add: (mute) =>
      inTurn(turnOf(mute.workspaceId), async (transaction) => {
        const known = mute.id && (await findMute(transaction, mute.workspaceId, mute.id))
        if (known) return known
        const about = JSON.stringify(mute.about)
        const replaced = await transaction
          .deleteFrom('watch_mute')
          .where('workspace_id', '=', mute.workspaceId)
          .where('channel_id', '=', mute.channelId)
          .where('environment', '=', mute.environment)
          .where('about', '=', about)
          .returning('id')
          .execute()
        await refuseAtLimit(transaction, 'watch_mute', mute.workspaceId)
        for (const { id } of replaced)
          await unschedule(transaction, dueOf({ workspaceId: mute.workspaceId, id }))
        const row = {
          ...placeRow(mute),
          id: mute.id ?? newWatchingId(),
          about,
          until_at: mute.until?.toISOString() ?? null,
          by: mute.by,
          made_at: mute.madeAt.toISOString(),
        }
        await transaction.insertInto('watch_mute').values(row).execute()
        if (mute.until) await schedule(transaction, time, dueOf({ ...mute, id: row.id }), mute.until)
        await redrawMuted(transaction, time, muteFrom(row))
        return muteFrom(row)
      }),

    end: (workspaceId, id) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, id)
        if (!mute) return false
        // An end in the past makes the scheduled work, which tells what is down and deletes the row, run at once.
        await transaction
          .updateTable('watch_mute')
          .set({ until_at: mute.madeAt.toISOString() })
          .where('id', '=', id)
          .execute()
        await schedule(transaction, time, dueOf(mute))
        return true
      }),
  }
}

/** A mute of this workspace; undefined once its row is deleted. */
export async function findMute(
  rows: Kysely<Schema>,
  workspaceId: string,
  id: string,
): Promise<Mute | undefined> {
  const row = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row && muteFrom(row)
}
