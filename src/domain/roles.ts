/** A person's role in a workspace. Every member is a `viewer`; the others are granted. An admin may do everything. */
export type Role = 'viewer' | 'operator' | 'approver' | 'admin'

export const GRANTABLE_ROLES = ['operator', 'approver', 'admin'] as const
export type GrantableRole = (typeof GRANTABLE_ROLES)[number]

export type SubjectKind = 'user' | 'group' | 'everyone'

/** Who a role is granted to: a user, a user group, or everyone in the workspace. */
export interface Subject {
  readonly kind: SubjectKind
  /** The user's or the group's ID; `*` for everyone. */
  readonly id: string
}

/** Every member of the workspace. */
export const EVERYONE: Subject = { kind: 'everyone', id: '*' }

/** A role that was granted to a subject. */
export interface Grant {
  readonly workspaceId: string
  readonly subject: Subject
  readonly role: GrantableRole
  readonly grantedBy: string
  readonly grantedAt: Date
  /** When it expires. */
  readonly endsAt?: Date | undefined
}

/** Why someone has a role: they are an admin in Slack, they installed the app, it was granted, or `admin` includes it. */
export type RoleReason =
  | { kind: 'slack-admin' }
  | { kind: 'installer' }
  | { kind: 'given'; grant: Grant }
  | { kind: 'admin' }

/** The roles that someone has, each with the reason. */
export type Roles = ReadonlyMap<GrantableRole, RoleReason>

/** What each role is for, in refusals, help, and the table of permissions. */
export const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'look things up, take outages, page people, and request certificates',
  operator: 'change health checks, their alerts and watches, and threat cases',
  approver: 'approve and place certificate orders',
  admin: 'manage the connection and everyone’s roles',
}
