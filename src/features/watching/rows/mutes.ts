import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  rowsIn,
  schedule,
  updateIn,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { MOST_MUTES, type Mute, type NewMute, WatchingFull } from '../rules/watch.ts'
import { MUTE } from './columns.ts'
import { firstOf, heldMutes, muteFrom } from './row.ts'
import { updateChannels } from './update-channels.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

/** The rows of `watch_mute`. A mute holds until its row says that it has ended, a moment after its time. */
export function watchMutes({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** The mutes of the workspace or of one channel; the one that ends first comes first. */
    async list(workspaceId: string, { channelId }: { channelId?: string } = {}): Promise<Mute[]> {
      const found = heldMutes(rows, { workspace_id: workspaceId, channel_id: channelId })
      const mutes = (await found.orderBy('made_at').orderBy('id').execute()).map(muteFrom)
      const lasts = ({ until }: Mute): number => until?.getTime() ?? Number.POSITIVE_INFINITY
      return mutes.sort((left, right) => (lasts(left) < lasts(right) ? -1 : 1))
    },

    /** Undefined once it has ended. */
    find: (workspaceId: string, id: string) => findMute(rows, workspaceId, id),

    /**
     * Adds a mute. Mutes add up: one that lasts longer goes on. Returns an existing mute with this id, also when it is over, and changes
     * nothing. Open cards say until when they are muted; at the end, one card tells what is still down.
     * Throws WatchingFull.
     */
    add: (mute: NewMute): Promise<Mute> =>
      inTurn(turnOf(mute.workspaceId), async (transaction) => {
        const { workspaceId, id = newId() } = mute
        const known = rowsIn(transaction, 'watch_mute', { id, workspace_id: workspaceId })
        const found = await firstOf(known, muteFrom)
        if (found) return found
        const row = MUTE.row({ ...mute, id })
        const { length } = await heldMutes(transaction, { workspace_id: workspaceId })
          .limit(MOST_MUTES)
          .execute()
        if (length >= MOST_MUTES) throw new WatchingFull('mutes', MOST_MUTES)
        await transaction.insertInto('watch_mute').values(row).execute()
        if (mute.until) await schedule(transaction, time, dueOf({ workspaceId, id }), mute.until)
        await updateChannels(transaction, time, mute, { channelIds: [mute.channelId] })
        return muteFrom(row)
      }),

    /** Ends a mute now, as at its time: one card tells what is still down. False when it was over. */
    end: (workspaceId: string, id: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, id)
        if (!mute) return false
        // An end in the past makes the scheduled work, which tells what is down, run at once.
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
        // Ended by somebody, it has an end in the past.
        const ended_at = (mute.until > mute.madeAt ? mute.until : now).toISOString()
        await updateIn(transaction, 'watch_mute', { id }, { ended_at })
        await updateChannels(transaction, time, mute, { channelIds: [mute.channelId] })
        return undefined
      }),
  }
}

const dueOf = ({ workspaceId, id }: Pick<Mute, 'workspaceId' | 'id'>) => ({
  workspaceId,
  kind: WATCH_WORK.muteEnd,
  key: id,
})

const findMute = (rows: Rows, workspaceId: string, id: string): Promise<Mute | undefined> =>
  firstOf(heldMutes(rows, { workspace_id: workspaceId }).where('id', '=', id), muteFrom)
