import type { Environment } from '../../domain/environment.ts'
import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

/** What was exported of a threat event, so that what is exported later under the same ids is known for newer. */
export interface ThreatVersions {
  /**
   * When this content of the event came to be: the same each time it is asked for the same content, and later than for any
   * content that was exported before it. `since` is what the content itself says.
   */
  modifiedAt(version: {
    workspaceId: string
    environment: Environment
    eventId: string
    /** Which of an event's exports: those with personal data are others. */
    kind: string
    contentHash: string
    since: Date
    now: Date
  }): Promise<Date>
  /** Forgets what was not exported since then, and says how much. */
  sweep(olderThan: Date): Promise<number>
  forget(workspaceId: string): Promise<number>
}

/** The rows of `threat_version`. */
export function threatVersions({ rows, inTurn }: Database): ThreatVersions {
  const removed = (which: { workspaceId: string } | { olderThan: Date }): Promise<number> =>
    deleteInBatches(async (limit) => {
      const all = rows.selectFrom('threat_version').select('key').limit(limit)
      const some =
        'workspaceId' in which
          ? all.where('workspace_id', '=', which.workspaceId)
          : all.where('exported_at', '<', which.olderThan.toISOString())
      const { numDeletedRows } = await rows
        .deleteFrom('threat_version')
        .where('key', 'in', some)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    })

  return {
    modifiedAt: ({ workspaceId, environment, eventId, kind, contentHash, since, now }) =>
      inTurn(`threat versions of ${workspaceId}`, async (transaction) => {
        const key = [workspaceId, environment, eventId, kind].join(' ')
        const before = await transaction
          .selectFrom('threat_version')
          .selectAll()
          .where('key', '=', key)
          .executeTakeFirst()
        if (before?.content_hash === contentHash) return new Date(before.modified_at)
        const last = before && new Date(before.modified_at)
        const modified = !last || since > last ? since : now > last ? now : new Date(last.getTime() + 1)
        const row = {
          content_hash: contentHash,
          modified_at: modified.toISOString(),
          exported_at: now.toISOString(),
        }
        await transaction
          .insertInto('threat_version')
          .values({ key, workspace_id: workspaceId, ...row })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
          .execute()
        return modified
      }),
    sweep: (olderThan) => removed({ olderThan }),
    forget: (workspaceId) => removed({ workspaceId }),
  }
}
