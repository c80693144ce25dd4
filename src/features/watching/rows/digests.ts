import {
  type Database,
  type DatabaseTime,
  deleteRows,
  schedule,
  selectRows,
  unschedule,
  updateRows,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import { type Digest, type DigestSettings, type WatchChannel, watchChannelKey } from '../rules/watch.ts'
import { DIGEST } from './columns.ts'
import { postDigest } from './notices.ts'
import { channelColumns, readFirst } from './row.ts'
import { WATCH_WORK, watchingLock } from './watch-work.ts'

/** Reads and changes daily summaries (`watch_digest`). */
export function createDigestStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** The daily summaries of the workspace or one channel; at most one per environment. */
    async list(workspaceId: string, { channelId }: { channelId?: string } = {}): Promise<Digest[]> {
      const digests = selectRows(
        rows,
        'watch_digest',
        { workspace_id: workspaceId },
        { channel_id: channelId },
      )
      return (await digests.orderBy('channel_id').orderBy('environment').execute()).map(DIGEST.parse)
    },

    find: (workspaceId: string, channelId: string, environment: Environment): Promise<Digest | undefined> =>
      readFirst(
        selectRows(rows, 'watch_digest', channelColumns({ workspaceId, channelId, environment })),
        DIGEST.parse,
      ),

    /** Sets the daily summary of a channel and environment. `next` is when the first one is due. */
    set: (
      channel: WatchChannel,
      settings: DigestSettings,
      { userId, now, next }: { userId: string; now: Date; next: Date },
    ): Promise<Digest> =>
      withLock(watchingLock(channel.workspaceId), async (transaction) => {
        const row = DIGEST.toRow({ ...channel, ...settings, madeBy: userId, since: now })
        const { since: _since, ...changed } = row
        const saved = await transaction
          .insertInto('watch_digest')
          .values(row)
          // An existing summary keeps the start of its current period.
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'channel_id', 'environment']).doUpdateSet(changed),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        await schedule(transaction, time, digestWork(channel), next)
        return DIGEST.parse(saved)
      }),

    /** Ends the current period at `to` and starts the next one. Posts a summary if `hasOutage`. False if it had already ended. */
    closePeriod: (digest: Digest, to: Date, hasOutage: boolean) =>
      withLock(watchingLock(digest.workspaceId), async (transaction) => {
        const period = { from: digest.since.toISOString(), to: to.toISOString(), timeZone: digest.timeZone }
        const current = { ...channelColumns(digest), since: period.from }
        if ((await updateRows(transaction, 'watch_digest', current, { since: period.to })) === 0) return false
        if (hasOutage) await postDigest(transaction, time, digest, period)
        return true
      }),

    /** Removes the daily summary. False if there was none. */
    remove: (workspaceId: string, channelId: string, environment: Environment) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const channel = { workspaceId, channelId, environment }
        const ended = await deleteRows(transaction, 'watch_digest', channelColumns(channel))
        await unschedule(transaction, digestWork(channel))
        return ended > 0
      }),
  }
}

const digestWork = (channel: WatchChannel) => ({
  workspaceId: channel.workspaceId,
  kind: WATCH_WORK.digest,
  key: watchChannelKey(channel),
})
