import type { Grant, GrantableRole, Roles, Subject } from '../../../domain/roles.ts'

/** What `/hc access` shows and changes. */
export interface AccessSettings {
  roles: Readonly<Record<GrantableRole, Holders>>
  /** People with a temporary role; `endsAt` is ISO 8601. */
  temporaryRoles: readonly { role: GrantableRole; userId: string; endsAt: string }[]
  /** Whether guests can view. They can never change anything. */
  guestsCanView: boolean
  /** Shared channels in which threat events and orders may be shown. */
  allowedSharedChannels: readonly string[]
  /** How many days audit entries are kept; 0 means forever. */
  auditRetentionDays: number
}

/**
 * When a role given by someone with these roles ends at the latest. A temporary admin can't give roles that outlast their own,
 * and without the admin role, nobody can give any. Undefined for a permanent admin.
 */
export function latestGrantEnd(ownRoles: Roles, now: Date): Date | undefined {
  const reason = ownRoles.get('admin')
  if (reason === undefined) return now
  return reason.kind === 'given' ? reason.grant.endsAt : undefined
}

/** Who was granted a role, not counting Slack's admins and the installer. */
export interface Holders {
  people: readonly string[]
  groups: readonly string[]
  everyone: boolean
}

/** Who has the role according to these grants. */
export function findHolders(grants: readonly Grant[], role: GrantableRole): Holders {
  const subjects = grants.filter((grant) => grant.role === role).map(({ subject }) => subject)
  const listIds = (kind: Subject['kind']) =>
    subjects.filter((subject) => subject.kind === kind).map(({ id }) => id)
  return {
    people: listIds('user'),
    groups: listIds('group'),
    everyone: subjects.some(({ kind }) => kind === 'everyone'),
  }
}

/** Converts holders to the subjects of grants. */
export function listSubjects({ people, groups, everyone }: Holders): Subject[] {
  return [
    ...(everyone ? [{ kind: 'everyone' as const, id: '*' }] : []),
    ...groups.map((id) => ({ kind: 'group' as const, id })),
    ...people.map((id) => ({ kind: 'user' as const, id })),
  ]
}

/** True if both lists have the same IDs, in any order. */
export function sameIds(left: readonly string[], right: readonly string[]): boolean {
  const ids = new Set(left)
  return ids.size === new Set(right).size && right.every((id) => ids.has(id))
}

export const sameHolders = (left: Holders, right: Holders): boolean =>
  sameIds(left.people, right.people) && sameIds(left.groups, right.groups) && left.everyone === right.everyone
