import type { AuditEvent } from '@signalman/durable'
import type { Store } from '../src/app/store.ts'
import type { GrantableRole, Subject } from '../src/domain/roles.ts'
import { WORKSPACE, type World } from './world.ts'

const DAY_MS = 86_400_000

/** Gives a role to a person, by their ID, to a user group, or to everyone. It ends after this many days. */
export function giveRole({ app }: World, to: string | Subject, role: GrantableRole, days?: number) {
  const subject = typeof to === 'string' ? ({ kind: 'user', id: to } as const) : to
  const end = days === undefined ? {} : { endsAt: new Date(Date.now() + days * DAY_MS) }
  return addGrant(app.store, WORKSPACE, role, subject, 'U0ADMIN001', new Date(), end)
}

type Stores = Pick<Store, 'audit' | 'grants'>

const toEvent = (workspaceId: string, userId: string, { kind, id }: Subject): AuditEvent => ({
  ...{ workspaceId, at: new Date(), actor: { userId }, verb: 'role.save', object: `role of ${kind} ${id}` },
  ...{ outcome: 'done', reference: 'test' },
})

/** Grants a role. True if the subject didn't have it. */
export const addGrant = (
  { audit, grants }: Stores,
  workspaceId: string,
  role: GrantableRole,
  subject: Subject,
  by: string,
  at: Date,
  end: { endsAt?: Date } = {},
): Promise<boolean> =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: (await grants.within(decisions).extend(role, subject, by, at, end)).previousEnd === undefined,
    auditEvent: toEvent(workspaceId, by, subject),
  }))

const NOT_GIVEN = new Error('The role isn’t given.')

/** Revokes a role. True if the subject had it. */
export const removeGrant = (
  { audit, grants }: Stores,
  workspaceId: string,
  role: GrantableRole,
  subject: Subject,
): Promise<boolean> =>
  audit
    .decide(workspaceId, async (decisions) => ({
      outcome: await grants.within(decisions).revoke(role, subject, { missingError: NOT_GIVEN }),
      auditEvent: toEvent(workspaceId, 'system', subject),
    }))
    .then(
      () => true,
      (error: unknown) => {
        if (error === NOT_GIVEN) return false
        throw error
      },
    )
