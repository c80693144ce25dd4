import type { Store } from '../../../src/app/store.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { DEFAULT_SETTINGS, ORDER_SETTINGS } from '../../../src/features/cert-orders/rules/settings.ts'
import { OPERATIONS } from './watch.ts'

/** The playground's workspace. */
export const WORKSPACE = 'T0PLAYGRND'
/** The person who grants the roles there. */
const ADMIN = 'U0ADMIN001'

/**
 * Grants every role to everyone and sets an approvals channel, so that people can try everything. Also adds the audit entries that an
 * admin's own changes would have.
 */
export async function grantAllRoles({
  audit,
  grants,
  settings,
}: Pick<Store, 'audit' | 'grants' | 'settings'>) {
  const at = new Date()
  const toEvent = (verb: string, object: string, after: object) => ({
    workspaceId: WORKSPACE,
    at,
    actor: { userId: ADMIN },
    reference: 'demo',
    verb,
    object,
    after,
    outcome: 'done' as const,
  })
  for (const role of ['operator', 'approver'] as const)
    await audit.decide(WORKSPACE, async (decisions) => ({
      outcome: await grants.within(decisions).extend(role, EVERYONE, ADMIN, at),
      auditEvent: toEvent('/hc grant', `role ${role} of everyone`, { role, everyone: true, until: null }),
    }))
  const orderSettings = { ...DEFAULT_SETTINGS, channelId: OPERATIONS }
  await audit.append(toEvent('/cert-order settings', 'approvals', orderSettings))
  await settings.set(WORKSPACE, ORDER_SETTINGS, orderSettings)
}
