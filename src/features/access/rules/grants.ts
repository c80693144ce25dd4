import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import { hashVersion } from '../../../bot/windows/window-states.ts'
import type { Grant, GrantableRole, Roles, Subject } from '../../../domain/roles.ts'

/** A grant as a list or a window showed it, to find out later whether someone has changed it since. */
export type ShownGrant = Pick<Grant, 'role' | 'subject' | 'grantedBy'> & {
  /** ISO 8601. */
  readonly grantedAt: string
  /** ISO 8601; null if it's permanent. */
  readonly endsAt: string | null
}

export const toShownGrant = ({ role, subject, grantedBy, grantedAt, endsAt }: Grant): ShownGrant => ({
  role,
  subject: { kind: subject.kind, id: subject.id },
  grantedBy,
  grantedAt: grantedAt.toISOString(),
  endsAt: endsAt?.toISOString() ?? null,
})

/** Identifies a grant as it is now. A grant that was changed, or ended and given again, has another one. */
export const grantVersion = (grant: Grant): string => hashVersion(toShownGrant(grant))

/** `role operator of U0MEMBER01`, in the audit log. */
export const grantName = ({ role, subject }: Pick<Grant, 'role' | 'subject'>): string =>
  `role ${role} of ${subject.kind === 'everyone' ? 'everyone' : subject.id}`

/** Who a grant is for, in the audit log. */
export const auditedSubject = ({ kind, id }: Subject): Readonly<Record<string, string | boolean>> => {
  if (kind === 'everyone') return { everyone: true }
  return kind === 'group' ? { group: id } : { person: id }
}

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

/** The value of **Until** that leaves the end as it is. */
export const SAME_END = 'same'
const NO_END = 'none'

const PERIODS: readonly (readonly [label: string, ms: number])[] = [
  ['8 hours from now', 8 * HOUR_MS],
  ['1 day from now', DAY_MS],
  ['7 days from now', 7 * DAY_MS],
  ['30 days from now', 30 * DAY_MS],
  ['90 days from now', 90 * DAY_MS],
]

/** What can be chosen as the end of a role. `shown` is the grant that is changed; a new role has none. */
export function listEnds(now: Date, ownEnd: Date | undefined, shown?: Pick<ShownGrant, 'endsAt'>) {
  const same = shown?.endsAt ? `${utc(new Date(shown.endsAt))}, as now` : 'No end date, as now'
  const latest = ownEnd ? `When your own admin role ends, ${utc(ownEnd)}` : 'No end date'
  return [
    ...(shown ? [{ label: same, value: SAME_END, chosen: true }] : []),
    ...(shown && shown.endsAt === (ownEnd?.toISOString() ?? null)
      ? []
      : [{ label: latest, value: NO_END, chosen: !shown }]),
    ...PERIODS.filter(([, ms]) => !ownEnd || now.getTime() + ms < ownEnd.getTime()).map(([label, ms]) => ({
      label,
      value: String(ms),
    })),
  ]
}

/** The chosen end: undefined for none, and `SAME_END` if it stays. Null if it isn't one of the choices. */
export function readEnd(chosen: string, now: Date): Date | undefined | typeof SAME_END | null {
  if (chosen === SAME_END) return SAME_END
  if (chosen === NO_END) return undefined
  const ms = PERIODS.find(([, period]) => String(period) === chosen)?.[1]
  return ms === undefined ? null : new Date(now.getTime() + ms)
}
