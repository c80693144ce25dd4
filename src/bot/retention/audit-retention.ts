import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { createReference, type Log } from '@signalman/runtime'
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
      const removing = audit.removeOlderThan(
        workspaceId,
        days,
        (at) => ({
          workspaceId,
          at,
          actor: { userId: 'system' },
          verb: 'audit.retention',
          object: 'audit log',
          after: { days },
          outcome: 'done',
          reference: createReference(),
        }),
        { approvedUpTo: 0, days: Number.MAX_SAFE_INTEGER },
      )
      await removing.catch((error: unknown) =>
        log.error({ workspace: workspaceId, err: error }, "Couldn't delete the old rows of an audit log."),
      )
    }
}
