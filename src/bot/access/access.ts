// This folder decides who may do what: who somebody is in Slack, their roles, and whom Signalman may notify.

import { AccessDenied } from '@signalman/runtime'
import type { Caller, RequestUser, Workspace } from '@signalman/slack'
import {
  GRANTABLE_ROLES,
  type Grant,
  type GrantableRole,
  ROLE_DESCRIPTIONS,
  type Role,
  type RoleReason,
  type Roles,
} from '../../domain/roles.ts'
import type { Tenancy } from '../install/tenancy.ts'
import type { CachedReads } from '../workspaces/cached-reads.ts'
import type { Grants } from '../workspaces/grants.ts'
import { type Actor, identify, type Membership, type People } from './actor.ts'
import type { RefusalLog } from './refusal-log.ts'

export interface GuestRule {
  /** True for what guests may use if the deployment is open to them. Not for what changes something, sends files, or shows personal data. */
  guests?: boolean
}

/** What access a request needs. */
export interface AccessRequirement extends GuestRule {
  needs: Role
  /** The verb, as typed: `/hc edit`. */
  verb: string
  /** True for a read, which may use cached grants and Slack's answers from the last minute. */
  usesCache?: boolean
  /** True for requests that Slack sends while a person types, because each keystroke would add a refusal to the audit log. */
  isUnrecorded?: boolean
  /** How old Slack's answers may be. By default 0, or a minute with `usesCache`. */
  maxAgeMs?: number
}

export type Access = ReturnType<typeof createAccess>

/** Makes every authorization decision: for typed lines, pressed buttons, and submitted forms. */
export function createAccess(deps: {
  rights: Rights
  /** As in reachable.ts, which uses the roles. */
  reachability: {
    listReachable(
      workspace: Workspace,
      role: GrantableRole,
      use: { maxAgeMs: number },
    ): AsyncIterable<readonly string[]>
  }
  refusalLog: Pick<RefusalLog, 'write'>
  tenancy: Pick<Tenancy, 'throwUnlessInstalled' | 'recordOrganization'>
  now: () => Date
}) {
  const { refusalLog, tenancy, now } = deps
  const { findActor, findRoles, hasRole } = deps.rights

  /** Whom to ask for a role: the granted admins and the installer, or else Slack's admins. Empty if Slack can't be reached. */
  async function listAdmins({ workspaceId }: Workspace): Promise<readonly string[]> {
    try {
      for await (const people of deps.reachability.listReachable({ workspaceId }, 'admin', NAMES))
        return people
    } catch {
      // The refusal is shown without names.
    }
    return []
  }

  async function refuse(
    caller: Caller,
    requirement: AccessRequirement,
    reason: string,
    requestableRole?: GrantableRole,
  ): Promise<never> {
    if (!requirement.isUnrecorded) await recordRefusal(caller, requirement)
    const admins = requestableRole && !requirement.isUnrecorded ? await listAdmins(caller) : undefined
    const suggestions = requestableRole ? suggestAsking(requestableRole) : []
    throw new AccessDenied(reason, { admins, suggestions })
  }

  async function recordRefusal(caller: Caller, requirement: AccessRequirement): Promise<void> {
    await refusalLog.write({
      workspaceId: caller.workspaceId,
      at: now(),
      actor: { userId: caller.userId, ...(caller.homeId && { teamId: caller.homeId }) },
      ...(caller.channelId && { channelId: caller.channelId }),
      verb: requirement.verb,
      outcome: 'refused',
      reference: caller.reference,
    })
  }

  return {
    /** Returns the person, regardless of their permissions. */
    findActor,
    findRoles,
    hasRole,
    listAdmins,
    /** Returns the person if they may do this. Otherwise records the refusal in the audit log and throws AccessDenied. */
    async authorize(caller: Caller, requirement: AccessRequirement): Promise<Actor> {
      const { needs, usesCache = false } = requirement
      const maxAgeMs = cacheMaxAge(requirement)
      await tenancy.throwUnlessInstalled(caller, { usesCache })
      const actor = await findActor(caller, maxAgeMs)
      const barredReason = findBarredReason(actor, requirement)
      if (barredReason) return refuse(caller, requirement, barredReason)
      if (actor.membership !== 'unknown') await tenancy.recordOrganization(caller)
      if (needs === 'viewer') return actor
      const roles = await findRoles(caller, actor, { usesCache, maxAgeMs })
      if (roles.has(needs)) return actor
      return refuse(
        caller,
        requirement,
        `This needs the ${needs} role. It lets you ${ROLE_DESCRIPTIONS[needs]}.`,
        needs,
      )
    },
  }
}

const suggestAsking = (role: GrantableRole) => [
  { label: `Ask for the ${role} role`, line: `/hc role-ask ${role}` },
  { label: 'What you can do', line: '/hc access' },
]

/** How old Slack's answers may be. An act always asks Slack again, so that a revoked role never works from a cache. */
export const cacheMaxAge = ({ usesCache = false, maxAgeMs }: AccessRequirement): number | undefined =>
  maxAgeMs ?? (usesCache ? undefined : 0)

/** People to name may be as Slack described them within the last minute. */
const NAMES = { maxAgeMs: 60_000 }

export type Rights = ReturnType<typeof createRights>

/** Creates the functions that look up people and their roles. */
export function createRights({
  people,
  grants,
  cached,
  guestsCanView,
  tenancy: { findInstaller, findOrganization },
}: {
  people: Pick<People, 'readPerson' | 'isInGroup'>
  grants: Pick<Grants, 'find'>
  cached: Pick<CachedReads, 'grants'>
  /** Whether guests can use Signalman to look things up. By default, they see nothing. */
  guestsCanView: boolean
  tenancy: Pick<Tenancy, 'findInstaller' | 'findOrganization'>
}) {
  async function findActor(requestUser: RequestUser, maxAgeMs?: number): Promise<Actor> {
    const enterpriseId = await findOrganization(requestUser)
    const identity = await identify({ ...requestUser, enterpriseId }, people, maxAgeMs)
    const { membership } = identity
    // Someone whom Slack can't identify is treated like a guest.
    const isGuest = membership === 'guest' || membership === 'unknown'
    return { ...identity, canView: membership === 'member' || (isGuest && guestsCanView) }
  }

  /** A person's roles, without `viewer`. */
  async function findRoles(
    workspace: Workspace,
    actor: Actor,
    {
      usesCache = false,
      maxAgeMs,
    }: Pick<AccessRequirement, 'usesCache'> & { maxAgeMs?: number | undefined } = {},
  ): Promise<Roles> {
    if (actor.isSlackAdmin) return SLACK_ADMIN_ROLES
    const installer = await findInstaller(workspace.workspaceId, { usesCache })
    if (installer === actor.userId) return INSTALLER_ROLES
    const workspaceGrants = usesCache
      ? await cached.grants(workspace.workspaceId)
      : await grants.find(workspace.workspaceId, actor.userId)
    const applies = await Promise.all(
      workspaceGrants.map(({ subject: { kind, id } }) => {
        if (kind === 'everyone') return actor.isFromThisWorkspace
        return kind === 'user' ? id === actor.userId : people.isInGroup(workspace, id, actor.userId, maxAgeMs)
      }),
    )
    return explainRoles(workspaceGrants.filter((_, index) => applies[index]))
  }

  /** Whether a person has this role and may change things; false if Slack can't be reached. */
  async function hasRole(
    { workspaceId }: Workspace,
    userId: string,
    role: Role,
    maxAgeMs?: number,
  ): Promise<boolean> {
    const where = { workspaceId }
    const actor = await findActor({ ...where, userId }, maxAgeMs)
    return isAllowed(actor, await findRoles(where, actor, { maxAgeMs }), { needs: role })
  }

  return { findActor, findRoles, hasRole }
}

/**
 * Finds the grant behind each role: the one that lasts longest. If several end at the same time, prefers a grant of the role itself
 * to a grant of the admin role.
 */
function explainRoles(applicable: readonly Grant[]): Roles {
  const reasons = new Map<GrantableRole, RoleReason>()
  // Later grants overwrite earlier ones.
  for (const grant of applicable.toSorted(compareGrants)) {
    if (grant.role === 'admin') for (const role of GRANTABLE_ROLES) reasons.set(role, { kind: 'admin' })
    reasons.set(grant.role, { kind: 'given', grant })
  }
  return reasons
}

/** Orders grants by their end, permanent grants last. Of grants with the same end, admin grants come first. */
function compareGrants(left: Grant, right: Grant): number {
  const leftEnd = left.endsAt?.getTime() ?? Number.POSITIVE_INFINITY
  const rightEnd = right.endsAt?.getTime() ?? Number.POSITIVE_INFINITY
  if (leftEnd !== rightEnd) return leftEnd - rightEnd
  return Number(right.role === 'admin') - Number(left.role === 'admin')
}

const allRolesBecause = (reason: RoleReason): Roles => new Map(GRANTABLE_ROLES.map((role) => [role, reason]))
const SLACK_ADMIN_ROLES = allRolesBecause({ kind: 'slack-admin' })
const INSTALLER_ROLES = allRolesBecause({ kind: 'installer' })

/** Whether a person with these roles may do this. Makes the same decision as `authorize`, without a reason. */
export function isAllowed(
  actor: Actor,
  roles: Roles,
  requirement: Pick<AccessRequirement, 'needs' | 'guests'>,
): boolean {
  if (findBarredReason(actor, requirement) !== undefined) return false
  return requirement.needs === 'viewer' || roles.has(requirement.needs)
}

/** Whether someone may see personal data: only members, not guests or anyone whom Slack can't identify. */
export const canSeePersonalData = ({ membership }: Pick<Actor, 'membership'>): boolean =>
  membership === 'member'

/** Finds the reason why someone can't do this regardless of their roles. Undefined if their roles decide. */
function findBarredReason(
  { membership, canView }: Actor,
  { needs, guests = false }: Pick<AccessRequirement, 'needs' | 'guests'>,
): string | undefined {
  if (membership === 'member') return undefined
  if (!canView) return BARRED_REASONS[membership]
  if (guests && needs === 'viewer') return undefined
  if (membership !== 'guest') return BARRED_REASONS[membership]
  return `Guests can’t use this. Ask ${WHO_CAN[needs]} of this workspace.`
}

const BARRED_REASONS: Readonly<Record<Exclude<Membership, 'member'>, string>> = {
  guest: 'Signalman isn’t open to guests in this workspace. Ask a member of this workspace.',
  unknown: 'Slack isn’t responding, so Signalman can’t check who you are. Try again in a minute.',
  foreign:
    'Signalman only works for people of this workspace, and you’re from another organization. Ask someone of this workspace.',
  deactivated: 'This account is deactivated, so Signalman doesn’t respond to it.',
  bot: 'Signalman doesn’t respond to other apps.',
}

/** Who a guest can ask to do it. */
const WHO_CAN: Readonly<Record<Role, string>> = {
  viewer: 'a member',
  operator: 'an operator',
  approver: 'an approver',
  admin: 'an admin',
}
