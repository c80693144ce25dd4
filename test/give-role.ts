import type { GrantableRole, Subject } from '../src/domain/roles.ts'
import { WORKSPACE, type World } from './world.ts'

const DAY_MS = 86_400_000

/** Gives a role to a person, by their ID, to a user group, or to everyone. It ends after this many days. */
export function giveRole({ app }: World, to: string | Subject, role: GrantableRole, days?: number) {
  const subject = typeof to === 'string' ? ({ kind: 'user', id: to } as const) : to
  const end = days === undefined ? {} : { endsAt: new Date(Date.now() + days * DAY_MS) }
  return app.store.grants.add(WORKSPACE, role, subject, 'U0ADMIN001', new Date(), end)
}
