import type { Environment } from '../../domain/environment.ts'
import type { Database } from '../database/database.ts'
import { deleteRows, deleteRowsOf } from '../database/delete-rows.ts'

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
export function threatVersions(database: Database): ThreatVersions {
  return {
    modifiedAt: ({ workspaceId, environment, eventId, kind, contentHash, since, now }) =>
      database.inTurn(`threat versions of ${workspaceId}`, async (transaction) => {
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
    sweep: (olderThan) =>
      deleteRows(database, 'threat_version', (row) => row('exported_at', '<', olderThan.toISOString())),
    forget: (workspaceId) => deleteRowsOf(database, workspaceId, 'threat_version'),
  }
}
