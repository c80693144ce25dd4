import type { Store } from '../app/store.ts'
import { EVERYONE } from '../domain/roles.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../features/cert-orders/rules/policy.ts'
import { OPERATIONS } from './tour.ts'

/** The playground's workspace. */
export const WORKSPACE = 'T0PLAYGRND'
/** Who gives the roles there. */
const ADMIN = 'U0ADMIN001'

/**
 * Here everyone can try everything; in a workspace, only admins can until they grant roles. The audit log contains it like what
 * an admin saved: what it doesn’t contain counts as written by something other than the app.
 */
export async function openDemo({ audit, grants, settings }: Pick<Store, 'audit' | 'grants' | 'settings'>) {
  const at = new Date()
  const tell = (verb: string, object: string, after: object) =>
    audit.append({
      workspaceId: WORKSPACE,
      at,
      actor: { userId: ADMIN },
      reference: 'demo',
      verb,
      object,
      after,
      outcome: 'done',
    })
  for (const role of ['operator', 'approver'] as const) {
    await tell('/hc access', `role ${role}`, { people: [], groups: [], everyone: true })
    await grants.add(WORKSPACE, role, EVERYONE, ADMIN, at)
  }
  const policy = { ...DEFAULT_POLICY, channelId: OPERATIONS }
  await tell('/cert-order policy', 'order policy', policy)
  await settings.set(WORKSPACE, ORDER_POLICY, policy)
}
