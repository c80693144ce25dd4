import {
  card,
  commandButton,
  group,
  joinLines,
  type Line,
  type Message,
  person,
  textElement,
} from '@signalman/slack'
import type { Actor } from '../../../bot/access/actor.ts'
import { GRANTABLE_ROLES, type GrantableRole, ROLE_DESCRIPTIONS, type Roles } from '../../../domain/roles.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import type { AccessSettings, Holders } from '../rules/access-settings.ts'

const ADMINS_NOTE =
  'Slack’s admins of this workspace and the person who installed Signalman are admins here. Admins can do everything. Roles given by a temporary admin end when their own role does. Roles given by permanent admins stay, even if the admin leaves.'

/** Shows who has which role, to people who can't change it. */
export const rightsView = (
  { roles, temporaryRoles, guestsCanView }: AccessSettings,
  actor: Actor,
  ownRoles: Roles,
  admins: readonly string[],
): Message =>
  card({
    headline: describePermissions(actor, ownRoles),
    notes: [
      `viewer (can ${ROLE_DESCRIPTIONS.viewer}): every member${guestsCanView ? ' and guest' : ''} of this workspace`,
      ...GRANTABLE_ROLES.map((role) => roleLine(role, roles[role])),
      ...temporaryRoleLines(temporaryRoles),
      ADMINS_NOTE,
      admins.length > 0
        ? joinAll('To change this, ask ', namesLine(admins.map(personLine)), '.')
        : 'To change this, ask an admin of this workspace.',
    ],
    controls: [
      commandButton('What can I do?', '/hc whoami'),
      ...(actor.standing === 'member' ? requestButtons(ownRoles) : []),
    ],
  })

/** Describes someone's permissions in one sentence. */
export function describePermissions({ standing }: Actor, ownRoles: Roles): string {
  if (standing === 'guest') return 'As a guest, you can look but not change anything'
  if (standing === 'unknown') return 'Slack isn’t responding, so for now you can only look'
  if (ownRoles.has('admin')) return 'You can do everything here'
  const heldRoles = GRANTABLE_ROLES.filter((role) => ownRoles.has(role))
  return heldRoles.length > 0
    ? `You can look, and you have the ${heldRoles.join(' and ')} ${heldRoles.length === 1 ? 'role' : 'roles'}`
    : 'You can look, but not change anything'
}

/** A button to request each role that the person doesn't have. */
export const requestButtons = (ownRoles: Roles) =>
  GRANTABLE_ROLES.filter((role) => !ownRoles.has(role)).map((role) =>
    commandButton(`Request ${role}`, `/hc access-request ${role}`),
  )

/** The most people or groups to name in a line. */
const MAX_NAMED = 30

/** Joins lines without a separator. */
export const joinAll = (...parts: readonly Line[]): Line => joinLines(parts, [])

/** Shows anything that isn't a user ID as text, because Slack would reject the whole message. */
export const personLine = (userId: string): Line => (/^[UW][A-Z0-9]+$/.test(userId) ? person(userId) : userId)

/** Lists who has a role: everyone, user groups, and people. */
export function holdersLine({ everyone, groups, people }: Holders): Line {
  const names: Line[] = [
    ...(everyone ? ['everyone in this workspace except guests'] : []),
    ...groups.map(group),
    ...people.map(personLine),
  ]
  return names.length === 0 ? 'nobody yet' : namesLine(names)
}

/** `Operators: everyone in this workspace except guests, @on-call, Ann`. */
export const titledHoldersLine = (title: string, holders: Holders): Line =>
  joinAll(textElement(`${title}: `, { bold: true }), holdersLine(holders))

/** Lists the first names, and how many more there are. */
export function namesLine(names: readonly Line[]): Line {
  const hiddenCount = names.length - MAX_NAMED
  return joinLines(
    hiddenCount > 0 ? [...names.slice(0, MAX_NAMED), `and ${formatCount(hiddenCount)} more`] : names,
  )
}

const roleLine = (role: GrantableRole, holders: Holders): Line =>
  joinAll(
    `${role} (can ${ROLE_DESCRIPTIONS[role]}): `,
    // ADMINS_NOTE says that Slack's admins are admins, too.
    role === 'admin' && isEmpty(holders) ? 'nobody else yet' : holdersLine(holders),
  )

const isEmpty = ({ everyone, groups, people }: Holders): boolean =>
  !everyone && groups.length === 0 && people.length === 0

/** A note for people whose own role is temporary. */
export const ownRoleEndsLine = (until: Date): Line =>
  joinAll('Your own admin role ends ', until, '. Roles that you give end no later than that.')

/** One line for each temporary role, up to a limit. */
export const temporaryRoleLines = (temporaryRoles: AccessSettings['temporaryRoles']): Line[] => [
  ...temporaryRoles
    .slice(0, MAX_NAMED)
    .map(({ role, userId, endsAt }) => joinAll(personLine(userId), ` is ${role} until `, new Date(endsAt))),
  ...(temporaryRoles.length > MAX_NAMED
    ? [`${pluralize(temporaryRoles.length - MAX_NAMED, 'more temporary role')}.`]
    : []),
]
