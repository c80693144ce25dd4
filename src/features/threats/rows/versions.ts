import type { Database } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'

/** The exports of threat events: a later export under the same ids gets a later time. */
export interface ThreatVersions {
  /**
   * The time to export for this content of the event: always the same for the same content, and later than for any content
   * exported before. `since` is the time in the content itself.
   */
  modifiedAt(version: {
    workspaceId: string
    environment: Environment
    eventId: string
    /** The kind of export, such as with or without personal data. */
    kind: string
    contentHash: string
    since: Date
    now: Date
  }): Promise<Date>
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
  }
}
