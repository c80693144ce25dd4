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
  readonly latestContentAt: Date
  readonly now: Date
}

export type ThreatVersions = ReturnType<typeof createThreatVersions>

/** The rows of `threat_version`. STIX requires a later time for changed content with the same ID. */
export function createThreatVersions(database: Database) {
  return {
    /**
     * Returns when the exported content last changed. Content with the same hash keeps its time. Changed content gets a later time
     * than before.
     */
    resolveModifiedAt: ({
      workspaceId,
      environment,
      eventId,
      kind,
      contentHash,
      latestContentAt,
      now,
    }: ExportedVersion) =>
      database.withLock(`threat versions of ${workspaceId}`, async (transaction) => {
        const key = [workspaceId, environment, eventId, kind].join(' ')
        const before = await selectRows(transaction, 'threat_version', { key }).executeTakeFirst()
        const last = before && new Date(before.modified_at)
        const isSame = before?.content_hash === contentHash
        const modified = last && isSame ? last : chooseModifiedAt(last, latestContentAt, now)
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

/** The time of changed content: always later than the last exported time. */
function chooseModifiedAt(last: Date | undefined, latestContentAt: Date, now: Date): Date {
  if (!last || latestContentAt > last) return latestContentAt
  return now > last ? now : new Date(last.getTime() + 1)
}
