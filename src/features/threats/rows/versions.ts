import { type Database, selectRows, upsertRow } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'

interface ExportedVersion {
  readonly workspaceId: string
  readonly environment: Environment
  readonly eventId: string
  /** The kind of export, such as with or without personal data. */
  readonly kind: string
  readonly contentHash: string
  /** The latest time in the content. */
  readonly since: Date
  readonly now: Date
}

export type ThreatVersions = ReturnType<typeof threatVersions>

/** The rows of `threat_version`, which STIX needs: a changed export with the same IDs must have a later time. */
export function threatVersions(database: Database) {
  return {
    /**
     * Returns when this content of the event last changed: always the same time for the same content, and a later one than for
     * any content exported before.
     */
    modifiedAt: ({ workspaceId, environment, eventId, kind, contentHash, since, now }: ExportedVersion) =>
      database.withLock(`threat versions of ${workspaceId}`, async (transaction) => {
        const key = [workspaceId, environment, eventId, kind].join(' ')
        const before = await selectRows(transaction, 'threat_version', { key }).executeTakeFirst()
        if (before?.content_hash === contentHash) return new Date(before.modified_at)
        const last = before && new Date(before.modified_at)
        const modified = !last || since > last ? since : now > last ? now : new Date(last.getTime() + 1)
        const row = {
          key,
          workspace_id: workspaceId,
          content_hash: contentHash,
          modified_at: modified.toISOString(),
          exported_at: now.toISOString(),
        }
        await upsertRow(transaction, 'threat_version', ['key'], row)
        return modified
      }),
  }
}
