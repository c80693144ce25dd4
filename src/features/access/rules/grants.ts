import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import { EVERYONE, type Grant, type GrantableRole, type Roles, type Subject } from '../../../domain/roles.ts'

/** A subject as a line names it. */
export const writeSubject = ({ kind, id }: Subject): string =>
  kind === 'everyone' ? EVERYONE.kind : kind === 'group' ? `@${id}` : id

/** `role operator of U0MEMBER01`, in the audit log. */
export const grantName = ({ role, subject }: Pick<Grant, 'role' | 'subject'>): string =>
  `role ${role} of ${subject.kind === 'everyone' ? 'everyone' : subject.id}`

/** A grant in the audit log. `until` is ISO 8601; null if it's permanent. */
export const auditedGrant = (role: GrantableRole, { kind, id }: Subject, until: string | null) => ({
  role,
  ...(kind === 'everyone' ? { everyone: true } : kind === 'group' ? { group: id } : { person: id }),
  until,
})

const ROLE_ORDER: readonly GrantableRole[] = ['admin', 'approver', 'operator']

/** Admins come first, because they can do everything. */
export const sortGrants = (grants: readonly Grant[]): Grant[] =>
  grants.toSorted((left, right) => ROLE_ORDER.indexOf(left.role) - ROLE_ORDER.indexOf(right.role))

/**
 * When a role given by someone with these roles ends at the latest. A temporary admin can't give roles that outlast their own,
 * and without the admin role, nobody can give any. Undefined for a permanent admin.
 */
export function latestGrantEnd(ownRoles: Roles, now: Date): Date | undefined {
  const reason = ownRoles.get('admin')
  if (reason === undefined) return now
  return reason.kind === 'given' ? reason.grant.endsAt : undefined
}

/** Whether someone is an admin by Slack or as the installer, so that no change of the grants can lock them out. */
export function isAdminWithoutGrant(ownRoles: Roles): boolean {
  const reason = ownRoles.get('admin')?.kind
  return reason === 'slack-admin' || reason === 'installer'
}

const NO_END = 'none'

const PERIODS: readonly (readonly [label: string, ms: number])[] = [
  ['8 hours from now', 8 * HOUR_MS],
  ['1 day from now', DAY_MS],
  ['7 days from now', 7 * DAY_MS],
  ['30 days from now', 30 * DAY_MS],
  ['90 days from now', 90 * DAY_MS],
]

/** What can be chosen as the end of a role. `ownEnd`: when the role of the person who gives it ends. */
export const listEnds = (now: Date, ownEnd: Date | undefined) => [
  {
    label: ownEnd ? `When your own admin role ends, ${utc(ownEnd)}` : 'No end date',
    value: NO_END,
    chosen: true,
  },
  ...PERIODS.filter(([, ms]) => !ownEnd || now.getTime() + ms < ownEnd.getTime()).map(([label, ms]) => ({
    label,
    value: String(ms),
  })),
]

/** The chosen end: undefined for none. Null if it isn't one of the choices. */
export function readEnd(chosen: string, now: Date): Date | undefined | null {
  if (chosen === NO_END) return undefined
  const ms = PERIODS.find(([, period]) => String(period) === chosen)?.[1]
  return ms === undefined ? null : new Date(now.getTime() + ms)
}
