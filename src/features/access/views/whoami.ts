import { card, commandButton, type Line, type Message } from '@signalman/slack'
import type { Actor, Standing } from '../../../bot/access/actor.ts'
import {
  GRANTABLE_ROLES,
  type GrantableRole,
  ROLE_DESCRIPTIONS,
  type RoleReason,
  type Roles,
} from '../../../domain/roles.ts'
import { describePermissions, joinAll, namesLine, personLine } from './rights.ts'

/** How `/hc whoami` describes a person's standing. People from other organizations can't use it. */
const STANDING_DESCRIPTIONS: Partial<Record<Standing, string>> = {
  member: 'a member of this workspace',
  guest: 'a guest of this workspace. Guests can view but not change anything',
  unknown:
    'someone Signalman can’t look up right now, because Slack isn’t responding. Until it does, you can’t change anything',
}

/** Shows a person's standing, their roles with the reason for each, and who can give them more. */
export const whoamiView = (actor: Actor, roles: Roles, admins: readonly string[]): Message =>
  card({
    headline: describePermissions(actor, roles),
    notes: [
      joinAll('You are ', personLine(actor.userId), `, ${describeStanding(actor)}.`),
      ...(actor.standing === 'guest' ? GUEST_LINES : memberLines(roles, admins)),
    ],
    controls: [commandButton('Roles', '/hc access')],
  })

const describeStanding = ({ isSlackAdmin, isFromThisWorkspace, standing }: Actor): string => {
  if (isSlackAdmin) return 'an admin of this workspace'
  if (standing === 'member' && !isFromThisWorkspace)
    return 'a member of another workspace of this organization'
  return STANDING_DESCRIPTIONS[standing] ?? standing
}

/** Roles given to a guest's user group or to everyone have no effect for the guest, so they aren't mentioned. */
const GUEST_LINES = [
  `viewer: you can ${ROLE_DESCRIPTIONS.viewer}. Only members can see personal data of a domain’s owner, screenshots, and page sources.`,
  `${GRANTABLE_ROLES.join(', ')}: no. Guests can’t have these roles.`,
]

/** A member's roles with the reason for each, and who can give the missing roles. */
function memberLines(roles: Roles, admins: readonly string[]): Line[] {
  return [
    `viewer: you can ${ROLE_DESCRIPTIONS.viewer}, like every member.`,
    ...GRANTABLE_ROLES.map((role) => roleLine(role, roles.get(role))),
    ...(GRANTABLE_ROLES.every((role) => roles.has(role)) ? [] : [grantersLine(admins)]),
  ]
}

function roleLine(role: GrantableRole, reason: RoleReason | undefined): Line {
  if (!reason) return `${role}: no. You need it to ${ROLE_DESCRIPTIONS[role]}.`
  return joinAll(`${role}: you can ${ROLE_DESCRIPTIONS[role]}, because `, reasonLine(reason), '.')
}

function reasonLine(reason: RoleReason): Line {
  switch (reason.kind) {
    case 'slack-admin':
      return 'Slack says that you are an admin of this workspace'
    case 'installer':
      return 'you installed Signalman here'
    case 'admin':
      return 'admins can do everything'
    case 'given': {
      const { subject, grantedBy, grantedAt, endsAt } = reason.grant
      const recipients = { user: 'you', group: 'a user group that you are in', everyone: 'everyone here' }
      return joinAll(
        personLine(grantedBy),
        ` gave it to ${recipients[subject.kind]} `,
        grantedAt,
        ...(endsAt ? [', until ', endsAt] : []),
      )
    }
  }
}

function grantersLine(admins: readonly string[]): Line {
  if (admins.length === 0) return 'To get another role, ask an admin of this workspace.'
  return joinAll('To get another role, ask ', namesLine(admins.map(personLine)), '.')
}
