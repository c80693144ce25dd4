import type { Environment } from '../../domain/environment.ts'
import type { Digest, DigestTerms, WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { schedule, unschedule } from '../work/schedule.ts'
import { digestOf, placeRow } from './row.ts'
import { turnOf, WATCH_WORK } from './watch-work.ts'

export interface WatchDigests {
  /** Of the workspace, or of one channel; one for each environment at most. */
  list(workspaceId: string, where?: { channelId?: string }): Promise<Digest[]>
  /** Sets the daily summary of a channel and environment, in place of an earlier one. `next` is when the first is due. */
  set(place: WatchPlace, terms: DigestTerms, by: { userId: string; now: Date; next: Date }): Promise<Digest>
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
      return found.map(digestOf)
    },

    set: (place, { hour, timeZone }, { userId, now, next }) =>
      inTurn(turnOf(place.workspaceId), async (transaction) => {
        const row = {
          ...placeRow(place),
          hour,
          time_zone: timeZone,
          made_by: userId,
          since: now.toISOString(),
        }
        const { since: _since, ...changed } = row
        const kept = await transaction
          .insertInto('watch_digest')
          .values(row)
          // What was not told yet stays to be told.
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'channel_id', 'environment']).doUpdateSet(changed),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        await schedule(transaction, time, dueOf(place.workspaceId, place.channelId, place.environment), next)
        return digestOf(kept)
      }),

    remove: (workspaceId, channelId, environment) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('watch_digest')
          .where('workspace_id', '=', workspaceId)
          .where('channel_id', '=', channelId)
          .where('environment', '=', environment)
          .executeTakeFirstOrThrow()
        await unschedule(transaction, dueOf(workspaceId, channelId, environment))
        return numDeletedRows > 0n
      }),
  }
}
