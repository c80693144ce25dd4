import { randomUUID } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import type { Settings } from '../workspaces/settings.ts'
import { isUnconfirmed, RESTORED, type Restored, WHOLE_STORE } from './backup-settings.ts'

/**
 * Allows orders again, and records in every workspace's audit log that it continues from a backup. Undefined when there is nothing to
 * confirm. After a kill, the same call finishes it.
 */
export async function confirmRestore(
  { audit, settings }: { audit: Audit; settings: Settings },
  now: Date,
): Promise<Restored | undefined> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (!isUnconfirmed(restored)) return undefined
  const reference = randomUUID().slice(0, 8)
  for (const workspaceId of await audit.workspaces()) {
    await audit.append({
      workspaceId,
      at: now,
      actor: { userId: 'operator' },
      verb: 'store.restore',
      object: 'database',
      after: { asOf: restored.madeAt, restoredAt: restored.restoredAt, backup: restored.backup },
      outcome: 'done',
      reference,
    })
  }
  const confirmed: Restored = { ...restored, confirmedAt: now.toISOString() }
  await settings.set(WHOLE_STORE, RESTORED, confirmed)
  return confirmed
}
