import { joinLines, type Line, person } from '@signalman/slack'
import type { Actor } from '../../../bot/access/actor.ts'
import { GRANTABLE_ROLES, type Roles } from '../../../domain/roles.ts'
import { formatCount } from '../../../domain/wording.ts'

/** Describes someone's permissions in one sentence. */
export function describePermissions({ standing }: Actor, ownRoles: Roles): string {
  if (standing === 'guest') return 'As a guest, you can look but not change anything'
  if (standing === 'unknown') return 'Slack isn’t responding, so for now you can only look'
  if (ownRoles.has('admin')) return 'You can do everything here'
  const heldRoles = GRANTABLE_ROLES.filter((role) => ownRoles.has(role))
  return heldRoles.length > 0
    ? `You can look, and you have the ${heldRoles.join(' and ')} ${heldRoles.length === 1 ? 'role' : 'roles'}`
    : 'You can look, but you have no role'
}

/** The most people or groups to name in a line. */
const MAX_NAMED = 30

/** Joins lines without a separator. */
export const joinAll = (...parts: readonly Line[]): Line => joinLines(parts, [])

/** Shows anything that isn't a user ID as text, because Slack would reject the whole message. */
export const personLine = (userId: string): Line => (/^[UW][A-Z0-9]+$/.test(userId) ? person(userId) : userId)

/** Lists the first names, and how many more there are. */
export function namesLine(names: readonly Line[]): Line {
  const hiddenCount = names.length - MAX_NAMED
  return joinLines(
    hiddenCount > 0 ? [...names.slice(0, MAX_NAMED), `and ${formatCount(hiddenCount)} more`] : names,
  )
}

/** A note for people whose own role is temporary. */
export const ownRoleEndsLine = (until: Date): Line =>
  joinAll('Your own admin role ends ', until, '. Roles that you give end no later than that.')
