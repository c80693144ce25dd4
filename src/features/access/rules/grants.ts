import { EVERYONE, type Grant, type GrantableRole, type Roles, type Subject } from '../../../domain/roles.ts'

/** A subject as a line names it. */
export const writeSubject = ({ kind, id }: Subject): string =>
  kind === 'everyone' ? EVERYONE.kind : kind === 'group' ? `@${id}` : id

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
