import { type Database, type DatabaseTime, type Schema, schedule, unschedule } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Mute, NewMute } from '../rules/watch.ts'
import { MUTE } from './columns.ts'
import { changesOf, channelWatches, reconcileChannel } from './reconcile-channel.ts'
import { channelColumns, muteFrom } from './row.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'
import { refuseAtLimit } from './watches.ts'

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

    doesEndTell: (mutes, now) => doesEndTell(rows, time, mutes, now),

    add: (mute) =>
      inTurn(turnOf(mute.workspaceId), async (transaction) => {
        const known = mute.id && (await findMute(transaction, mute.workspaceId, mute.id))
        if (known) return known
        const replaced = await transaction
          .deleteFrom('watch_mute')
          .where((row) => row.and(channelColumns(mute)))
          .where('about', '=', JSON.stringify(mute.about))
          .returning('id')
          .execute()
        await refuseAtLimit(transaction, 'watch_mute', mute.workspaceId)
        for (const { id } of replaced)
          await unschedule(transaction, dueOf({ workspaceId: mute.workspaceId, id }))
        const row = MUTE.row({ ...mute, id: mute.id ?? newId() })
        await transaction.insertInto('watch_mute').values(row).execute()
        if (mute.until) await schedule(transaction, time, dueOf({ ...mute, id: row.id }), mute.until)
        await reconcileChannel(transaction, time, mute, { redraw: mute.about })
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

/** Deletes a mute that is over, and tells what it silenced and is still down. Else returns in how many ms it ends, if ever. */
export async function endMute(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  mute: Mute,
  now: Date,
): Promise<number | undefined> {
  if (!mute.until) return undefined
  if (mute.until > now) return mute.until.getTime() - now.getTime()
  await rows.deleteFrom('watch_mute').where('id', '=', mute.id).execute()
  const unmuted = { subjects: [mute.about], reason: 'mute-ended' } as const
  await reconcileChannel(rows, time, mute, { unmuted, redraw: mute.about })
  return undefined
}

/** Whether the channel of these mutes is told anything once all of them have ended. */
async function doesEndTell(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  mutes: readonly Mute[],
  now: Date,
): Promise<boolean> {
  const [first] = mutes
  if (!first) return false
  // One paused watch holds back all messages of its channel.
  if ((await channelWatches(rows, first)).some(({ watch }) => watch.paused)) return false
  const ids = new Set(mutes.map(({ id }) => id))
  const unmuted = { subjects: mutes.map(({ about }) => about), reason: 'mute-ended' } as const
  // Another may be over, too, and about to be deleted.
  const changes = await changesOf(
    rows,
    time,
    first,
    now,
    { unmuted },
    ({ id, until }) => ids.has(id) || (until !== undefined && until <= now),
  )
  return changes.some(({ card }) => card.reason === 'mute-ended')
}
