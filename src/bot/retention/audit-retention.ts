import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { Stored } from '../stored.ts'

/**
 * Deletes audit rows older than their workspace's retention period, by the database's clock. If one log fails, logs the error and
 * continues with the others.
 */
export async function applyRetention(
  { audit, settings }: Pick<Stored, 'audit' | 'settings'>,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  for await (const batch of settings.listStored(AUDIT_RETENTION_DAYS))
    for (const { workspaceId, value: days } of batch) {
      signal?.throwIfAborted()
      if (days === 0) continue
      await audit
        .removeOlderThan(workspaceId, days)
        .catch((error: unknown) =>
          log.error({ workspace: workspaceId, err: error }, "Couldn't delete the old rows of an audit log."),
        )
    }
}
