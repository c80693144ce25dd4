import { card, commandButton, type Line, type Message } from '@signalman/slack'
import type { Actor, Standing } from '../../../bot/access/actor.ts'
import { GIVEN_ROLES, type GivenRole, ROLE_MEANS, type Roles, type Why } from '../../../domain/roles.ts'
import { mayWords, namesLine, personLine, requestButtons, run } from './rights.ts'

/** What each standing means, for those standings that are answered at all. */
const STANDINGS: Partial<Record<Standing, string>> = {
  member: 'a member of this workspace',
  guest: 'a guest of this workspace: guests can look, and change nothing',
  unknown:
    'somebody whom Slack cannot be asked about right now: until it can, nothing is changed in your name',
}

/** Who somebody is to Signalman: what they may, standing, roles, why, and who can give more. */
export const whoamiView = (actor: Actor, roles: Roles, admins: readonly string[]): Message =>
  card({
    answer: mayWords(actor, roles),
    notes: [
      run('You are ', personLine(actor.userId), `, ${standingOf(actor)}.`),
      ...(actor.standing === 'guest' ? GUEST_LINES : memberLines(roles, admins)),
    ],
    controls: [
      commandButton('Who may do what', '/hc access'),
      ...(actor.standing === 'member' ? requestButtons(roles) : []),
    ],
  })

const standingOf = ({ isSlackAdmin, isOfWorkspace, standing }: Actor): string => {
  if (isSlackAdmin) return 'an admin of this workspace'
  if (standing === 'member' && !isOfWorkspace) return 'a member of another workspace of this organization'
  return STANDINGS[standing] ?? standing
}

/** Roles that reach a guest, by a group or by everyone, are of no use to them: nothing is said of those. */
const GUEST_LINES = [
  `viewer: you may ${ROLE_MEANS.viewer}, as every member and guest, but not what members alone are shown: personal data of a domain’s owner, pictures and sources of pages.`,
  `${GIVEN_ROLES.join(', ')}: no. What these are needed for is refused to guests.`,
]

/** A member's roles, each with its reason; without any, who gives them. */
function memberLines(roles: Roles, admins: readonly string[]): Line[] {
  return [
    `viewer: you may ${ROLE_MEANS.viewer}, as every member and guest.`,
    ...GIVEN_ROLES.map((role) => roleLine(role, roles.get(role))),
    ...(GIVEN_ROLES.every((role) => roles.has(role)) ? [] : [grantersLine(admins)]),
  ]
}

function roleLine(role: GivenRole, why: Why | undefined): Line {
  if (!why) return `${role}: no. It is needed to ${ROLE_MEANS[role]}.`
  return run(`${role}: you may ${ROLE_MEANS[role]}, because `, reasonLine(why), '.')
}

function reasonLine(why: Why): Line {
  switch (why.kind) {
    case 'slack-admin':
      return 'Slack says that you are an admin of this workspace'
    case 'installer':
      return 'you installed Signalman here'
    case 'admin':
      return 'an admin may do everything'
    case 'given': {
      const { subject, grantedBy, grantedAt, endsAt } = why.grant
      const whom = { user: 'you', group: 'a user group that you are in', everyone: 'everyone here' }
      return run(
        personLine(grantedBy),
        ` gave it to ${whom[subject.kind]} `,
        grantedAt,
        ...(endsAt ? [', until ', endsAt] : []),
      )
    }
  }
}

function grantersLine(admins: readonly string[]): Line {
  if (admins.length === 0) return 'Who can give you more: the admins of this workspace.'
  return run('Who can give you more: ', namesLine(admins.map(personLine)), '.')
}
