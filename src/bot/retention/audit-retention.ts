import { AUDIT_KEPT_DAYS } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { createReference, DAY_MS } from '@signalman/runtime'
import type { Stored } from '../stored.ts'

/**
 * Deletes audit rows that are older than their workspace keeps them; none where that is not what the log says was saved last. Where
 * one log cannot be shortened, that is logged and the others go on.
 */
export async function applyRetention(
  store: Pick<Stored, 'audit' | 'settings' | 'untold'>,
  now: Date,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  for await (const some of store.settings.having(AUDIT_KEPT_DAYS)) {
    signal?.throwIfAborted()
    const oldest = await store.audit.oldest(some.map(({ workspaceId }) => workspaceId))
    for (const { workspaceId, value: days } of some) {
      const olderThan = new Date(now.getTime() - days * DAY_MS)
      const first = oldest.get(workspaceId)
      if (days === 0 || !first || first >= olderThan) continue
      const faults = await store.untold(workspaceId, now)
      const untold = faults.filter((fault) => fault.includes(`"${AUDIT_KEPT_DAYS.key}"`))
      if (untold.length > 0) {
        log.error({ workspace: workspaceId, untold }, 'Nothing is removed from an audit log.')
        continue
      }
      await shortenAudit(store, workspaceId, olderThan, now).catch((error: unknown) =>
        log.error({ workspace: workspaceId, err: error }, 'An audit log could not be shortened.'),
      )
    }
  }
}

/** Deletes the rows and records the deletion in the log. */
async function shortenAudit(
  { audit }: Pick<Stored, 'audit'>,
  workspaceId: string,
  olderThan: Date,
  now: Date,
): Promise<void> {
  const reference = createReference()
  await audit.retain(workspaceId, olderThan, (removed) => ({
    workspaceId,
    at: now,
    actor: { userId: 'system' },
    verb: 'audit.retention',
    object: 'audit log',
    after: { removed, olderThan: olderThan.toISOString() },
    outcome: 'done',
    reference,
  }))
}
