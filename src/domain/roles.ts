/** What a person may be in a workspace. `viewer` is every member; the others are given. An admin may do everything. */
export type Role = 'viewer' | 'operator' | 'approver' | 'admin'

export const GIVEN_ROLES = ['operator', 'approver', 'admin'] as const
export type GivenRole = (typeof GIVEN_ROLES)[number]

/** One thing of each role. */
export const byRole = <T>(of: (role: GivenRole) => T): Readonly<Record<GivenRole, T>> => ({
  operator: of('operator'),
  approver: of('approver'),
  admin: of('admin'),
})

export type SubjectKind = 'user' | 'group' | 'everyone'

/** Who a role is given to: a user, a user group, or everyone in the workspace. */
export interface Subject {
  readonly kind: SubjectKind
  /** The user's or the group's id. Whatever is given for everyone, `*` is kept. */
  readonly id: string
}

/** Every member of the workspace. */
export const EVERYONE: Subject = { kind: 'everyone', id: '*' }

/** One role given to one subject. */
export interface Grant {
  readonly workspaceId: string
  readonly subject: Subject
  readonly role: GivenRole
  readonly grantedBy: string
  readonly grantedAt: Date
  /** When it is over by itself. */
  readonly endsAt?: Date | undefined
}

/** Why somebody has a role: Slack's word, the installation, or that it was given; `admin`: it comes with that role. */
export type Why =
  | { kind: 'slack-admin' }
  | { kind: 'installer' }
  | { kind: 'given'; grant: Grant }
  | { kind: 'admin' }

/** The roles somebody has, each with the reason. */
export type Roles = ReadonlyMap<GivenRole, Why>

/** What each role is for, as refusals, help and the table of rights say it. */
export const ROLE_MEANS: Readonly<Record<Role, string>> = {
  viewer: 'read',
  operator: 'change health checks, their alerts and watches, and threat cases',
  approver: 'approve and place certificate orders',
  admin: 'manage the connection and who may do what',
}
