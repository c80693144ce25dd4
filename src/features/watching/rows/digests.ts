import {
  type Database,
  type DatabaseTime,
  deleteIn,
  rowsIn,
  schedule,
  unschedule,
  updateIn,
} from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import { type Digest, type DigestTerms, placeName, type WatchPlace } from '../rules/watch.ts'
import { DIGEST } from './columns.ts'
import { postDigest } from './notices.ts'
import { channelColumns, firstOf } from './row.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

/** The rows of `watch_digest`. */
export function watchDigests({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** The digests of the workspace, or of one channel; at most one for each environment. */
    async list(workspaceId: string, { channelId }: { channelId?: string } = {}): Promise<Digest[]> {
      const found = rowsIn(rows, 'watch_digest', { workspace_id: workspaceId }, { channel_id: channelId })
      return (await found.orderBy('channel_id').orderBy('environment').execute()).map(DIGEST.of)
    },

    find: (workspaceId: string, channelId: string, environment: Environment): Promise<Digest | undefined> =>
      firstOf(
        rowsIn(rows, 'watch_digest', channelColumns({ workspaceId, channelId, environment })),
        DIGEST.of,
      ),

    /** Sets the daily summary of a channel and environment, and replaces an earlier one. `next` is when the first is due. */
    set: (
      place: WatchPlace,
      terms: DigestTerms,
      { userId, now, next }: { userId: string; now: Date; next: Date },
    ): Promise<Digest> =>
      inTurn(turnOf(place.workspaceId), async (transaction) => {
        const row = DIGEST.row({ ...place, ...terms, madeBy: userId, since: now })
        const { since: _since, ...changed } = row
        const kept = await transaction
          .insertInto('watch_digest')
          .values(row)
          // A digest that is not posted yet stays.
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'channel_id', 'environment']).doUpdateSet(changed),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        await schedule(transaction, time, dueOf(place), next)
        return DIGEST.of(kept)
      }),

    /**
     * Ends a period at `to`, with a card for the digest unless there was nothing to tell; the next period begins there. False when
     * another period is current by now.
     */
    close: (digest: Digest, to: Date, hasNews: boolean) =>
      inTurn(turnOf(digest.workspaceId), async (transaction) => {
        const [since, next] = [digest.since.toISOString(), to.toISOString()]
        const current = { ...channelColumns(digest), since }
        if ((await updateIn(transaction, 'watch_digest', current, { since: next })) === 0) return false
        const period = { from: since, to: next, timeZone: digest.timeZone }
        if (hasNews) await postDigest(transaction, time, digest, period)
        return true
      }),

    /** False when there was none. */
    remove: (workspaceId: string, channelId: string, environment: Environment) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const place = { workspaceId, channelId, environment }
        const ended = await deleteIn(transaction, 'watch_digest', channelColumns(place))
        await unschedule(transaction, dueOf(place))
        return ended > 0
      }),
  }
}

const dueOf = (place: WatchPlace) => ({
  workspaceId: place.workspaceId,
  kind: WATCH_WORK.digest,
  key: placeName(place),
})
