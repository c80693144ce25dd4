import { type Database, type DatabaseTime, schedule, unschedule } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { Digest, DigestTerms, WatchPlace } from '../rules/watch.ts'
import { DIGEST } from './columns.ts'
import { reconcileChannel } from './reconcile-channel.ts'
import { channelColumns } from './row.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

export interface WatchDigests {
  /** The digests of the workspace, or of one channel; at most one for each environment. */
  list(workspaceId: string, where?: { channelId?: string }): Promise<Digest[]>
  /** Sets the daily summary of a channel and environment, and replaces an earlier one. `next` is when the first is due. */
  set(place: WatchPlace, terms: DigestTerms, by: { userId: string; now: Date; next: Date }): Promise<Digest>
  find(workspaceId: string, channelId: string, environment: Environment): Promise<Digest | undefined>
  /**
   * Ends a period at `to`, with a card for the digest unless there was nothing to tell; the next period begins there. False when
   * another period is current by now.
   */
  close(digest: Digest, to: Date, hasNews: boolean): Promise<boolean>
  /** False when there was none. */
  remove(workspaceId: string, channelId: string, environment: Environment): Promise<boolean>
}

const dueOf = (workspaceId: string, channelId: string, environment: Environment) => ({
  workspaceId,
  kind: WATCH_WORK.digest,
  key: `${channelId} ${environment}`,
})

/** The rows of `watch_digest`. */
export function watchDigests({ rows, inTurn }: Database, time: DatabaseTime): WatchDigests {
  return {
    async list(workspaceId, { channelId } = {}) {
      let query = rows.selectFrom('watch_digest').selectAll().where('workspace_id', '=', workspaceId)
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId)
      const found = await query.orderBy('channel_id').orderBy('environment').execute()
      return found.map(DIGEST.of)
    },

    set: (place, terms, { userId, now, next }) =>
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
        await schedule(transaction, time, dueOf(place.workspaceId, place.channelId, place.environment), next)
        return DIGEST.of(kept)
      }),

    async find(workspaceId, channelId, environment) {
      const row = await rows
        .selectFrom('watch_digest')
        .selectAll()
        .where((row) => row.and(channelColumns({ workspaceId, channelId, environment })))
        .executeTakeFirst()
      return row && DIGEST.of(row)
    },

    close: (digest, to, hasNews) =>
      inTurn(turnOf(digest.workspaceId), async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('watch_digest')
          .set({ since: to.toISOString() })
          .where((row) => row.and(channelColumns(digest)))
          .where('since', '=', digest.since.toISOString())
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        const period = { from: digest.since.toISOString(), to: to.toISOString(), timeZone: digest.timeZone }
        if (hasNews) await reconcileChannel(transaction, time, digest, { digest: period })
        return true
      }),

    remove: (workspaceId, channelId, environment) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('watch_digest')
          .where((row) => row.and(channelColumns({ workspaceId, channelId, environment })))
          .executeTakeFirstOrThrow()
        await unschedule(transaction, dueOf(workspaceId, channelId, environment))
        return numDeletedRows > 0n
      }),
  }
}
