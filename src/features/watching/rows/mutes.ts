import {
  type Database,
  type DatabaseTime,
  deleteIn,
  type Rows,
  readTime,
  rowsIn,
  schedule,
  unschedule,
  updateIn,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Mute, NewMute } from '../rules/watch.ts'
import { MUTE, MUTED } from './columns.ts'
import { changesOf, channelWatches, reconcileChannel } from './reconcile-channel.ts'
import { channelColumns, muteFrom } from './row.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'
import { refuseAtLimit } from './watches.ts'

/** The rows of `watch_mute`. A mute holds until its row is deleted, a moment after its time. */
export function watchMutes({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** The mutes of the workspace or of one channel; the one that ends first comes first. */
    async list(workspaceId: string, { channelId }: { channelId?: string } = {}): Promise<Mute[]> {
      const found = rowsIn(rows, 'watch_mute', { workspace_id: workspaceId }, { channel_id: channelId })
      const mutes = (await found.orderBy('made_at').orderBy('id').execute()).map(muteFrom)
      const lasts = ({ until }: Mute): number => until?.getTime() ?? Number.POSITIVE_INFINITY
      return mutes.sort((left, right) => (lasts(left) < lasts(right) ? -1 : 1))
    },

    /** Undefined once its row is deleted. */
    find: (workspaceId: string, id: string) => findMute(rows, workspaceId, id),

    /**
     * Adds a mute, and replaces one of the same channel and environment about the same. Returns an existing mute with this id and
     * changes nothing. Open cards say until when they are muted; at the end, one card tells what is still down. Throws WatchingFull.
     */
    add: (mute: NewMute): Promise<Mute> =>
      inTurn(turnOf(mute.workspaceId), async (transaction) => {
        const known = mute.id && (await findMute(transaction, mute.workspaceId, mute.id))
        if (known) return known
        const row = MUTE.row({ ...mute, id: mute.id ?? newId() })
        await endSame(transaction, mute, row.about)
        await refuseAtLimit(transaction, 'watch_mute', mute.workspaceId)
        await transaction.insertInto('watch_mute').values(row).execute()
        if (mute.until) await schedule(transaction, time, dueOf({ ...mute, id: row.id }), mute.until)
        await reconcileChannel(transaction, time, mute, { redraw: mute.about })
        return muteFrom(row)
      }),

    /** Ends a mute now, as at its time: one card tells what is still down. False when it was over. */
    end: (workspaceId: string, id: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, id)
        if (!mute) return false
        // An end in the past makes the scheduled work, which tells what is down and deletes the row, run at once.
        const until_at = mute.madeAt.toISOString()
        await updateIn(transaction, 'watch_mute', { id }, { until_at })
        await schedule(transaction, time, dueOf(mute))
        return true
      }),

    /** Ends a mute that is over and tells what it silenced and is still down. Returns in how many ms it ends, when that is not yet. */
    step: (workspaceId: string, id: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, id)
        if (!mute?.until) return undefined
        const now = await readTime(transaction, time)
        const leftMs = mute.until.getTime() - now.getTime()
        if (leftMs > 0) return leftMs
        await deleteIn(transaction, 'watch_mute', { id })
        // Ended by somebody, it has an end in the past.
        await remember(transaction, mute, mute.until > mute.madeAt ? mute.until : now)
        const unmuted = { subjects: [mute.about], reason: 'mute-ended' } as const
        await reconcileChannel(transaction, time, mute, { unmuted, redraw: mute.about })
        return undefined
      }),

    /** Whether anything is told once these mutes of one channel and environment have all ended. */
    async doesEndTell(mutes: readonly Mute[], now: Date): Promise<boolean> {
      const [first] = mutes
      if (!first) return false
      // One paused watch holds back all messages of its channel.
      if ((await channelWatches(rows, first)).some(({ watch }) => watch.paused)) return false
      const ids = new Set(mutes.map(({ id }) => id))
      const unmuted = { subjects: mutes.map(({ about }) => about), reason: 'mute-ended' } as const
      // Another may be over, too, and about to be deleted.
      const isOver = ({ id, until }: Mute): boolean => ids.has(id) || (until !== undefined && until <= now)
      const changes = await changesOf(rows, time, first, now, { unmuted }, isOver)
      return changes.some(({ card }) => card.reason === 'mute-ended')
    },
  }
}

const dueOf = ({ workspaceId, id }: Pick<Mute, 'workspaceId' | 'id'>) => ({
  workspaceId,
  kind: WATCH_WORK.muteEnd,
  key: id,
})

async function findMute(rows: Rows, workspaceId: string, id: string): Promise<Mute | undefined> {
  const row = await rowsIn(rows, 'watch_mute', { id, workspace_id: workspaceId }).executeTakeFirst()
  return row && muteFrom(row)
}

/** Another one takes its place. */
async function endSame(rows: Rows, mute: NewMute, about: string): Promise<void> {
  const found = await rows
    .deleteFrom('watch_mute')
    .where((one) => one.and({ ...channelColumns(mute), about }))
    .returningAll()
    .execute()
  for (const one of found.map(muteFrom)) {
    await unschedule(rows, dueOf(one))
    await remember(rows, one, mute.madeAt)
  }
}

/** That it was muted until then, for reports. */
async function remember(rows: Rows, { madeAt: from, ...mute }: Mute, to: Date): Promise<void> {
  await rows
    .insertInto('watch_muted')
    .values(MUTED.row({ ...mute, from, to }))
    .execute()
}
