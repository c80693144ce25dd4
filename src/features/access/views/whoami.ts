import { actions, commandButton, header, type Message, message } from '@signalman/slack'
import type { Actor, Standing } from '../../../bot/access/actor.ts'
import { GIVEN_ROLES, type GivenRole, ROLE_MEANS, type Roles, type Why } from '../../../domain/roles.ts'
import {
  joined,
  linesBlock,
  listed,
  moment,
  personLine,
  type RightsLine,
  requestButtons,
  said,
} from './rights.ts'

/** What each standing means, for those standings that are answered at all. */
const STANDINGS: Partial<Record<Standing, string>> = {
  member: 'a member of this workspace',
  guest: 'a guest of this workspace: guests can look, and change nothing',
  unknown:
    'somebody whom Slack cannot be asked about right now: until it can, nothing is changed in your name',
}

/** Who somebody is to Signalman: standing, roles, why, and who can give more. */
export function whoamiView(actor: Actor, roles: Roles, admins: readonly string[]): Message {
  const lines = [
    joined(said('You are '), personLine(actor.userId), said(`, ${standingOf(actor)}.`)),
    ...(actor.standing === 'guest' ? GUEST_LINES : memberLines(roles, admins)),
  ]
  return message(
    ['What you may do here', ...lines.map(({ text }) => text)].join('\n'),
    header('What you may do here'),
    linesBlock(...lines),
    actions(
      commandButton('Who may do what', '/hc access'),
      ...(actor.standing === 'member' ? requestButtons(roles) : []),
    ),
  )
}

const standingOf = ({ isSlackAdmin, isOfWorkspace, standing }: Actor): string => {
  if (isSlackAdmin) return 'an admin of this workspace'
  if (standing === 'member' && !isOfWorkspace) return 'a member of another workspace of this organization'
  return STANDINGS[standing] ?? standing
}

/** Roles that reach a guest, by a group or by everyone, are of no use to them: nothing is said of those. */
const GUEST_LINES = [
  said(
    `viewer: you may ${ROLE_MEANS.viewer}, as every member and guest, but not what members alone are shown: personal data of a domain’s owner, pictures and sources of pages.`,
  ),
  said(`${GIVEN_ROLES.join(', ')}: no. What these are needed for is refused to guests.`),
]

/** A member's roles, each with its reason; without any, who gives them. */
function memberLines(roles: Roles, admins: readonly string[]): RightsLine[] {
  return [
    said(`viewer: you may ${ROLE_MEANS.viewer}, as every member and guest.`),
    ...GIVEN_ROLES.map((role) => roleLine(role, roles.get(role))),
    ...(GIVEN_ROLES.every((role) => roles.has(role)) ? [] : [grantersLine(admins)]),
  ]
}

function roleLine(role: GivenRole, why: Why | undefined): RightsLine {
  if (!why) return said(`${role}: no. It is needed to ${ROLE_MEANS[role]}.`)
  return joined(said(`${role}: you may ${ROLE_MEANS[role]}, because `), reasonLine(why), said('.'))
}

function reasonLine(why: Why): RightsLine {
  switch (why.kind) {
    case 'slack-admin':
      return said('Slack says that you are an admin of this workspace')
    case 'installer':
      return said('you installed Signalman here')
    case 'admin':
      return said('an admin may do everything')
    case 'given': {
      const { subject, grantedBy, grantedAt, endsAt } = why.grant
      const whom = { user: 'you', group: 'a user group that you are in', everyone: 'everyone here' }
      return joined(
        personLine(grantedBy),
        said(` gave it to ${whom[subject.kind]} `),
        moment(grantedAt),
        ...(endsAt ? [said(', until '), moment(endsAt)] : []),
      )
    }
  }
}

function grantersLine(admins: readonly string[]): RightsLine {
  if (admins.length === 0) return said('Who can give you more: the admins of this workspace.')
  return joined(said('Who can give you more: '), listed(admins.slice(0, 20).map(personLine)), said('.'))
}
