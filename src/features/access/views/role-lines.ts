import { utc } from '../../../blocks/dates.ts'
import { GIVEN_ROLES, type GivenRole, ROLE_MEANS, type Roles, type Why } from '../../../domain/roles.ts'
import { joined, listed, personLine, type RightsLine, said } from './holder-lines.ts'

/** A member's roles, each with its reason; without any, who gives them. */
export function memberLines(roles: Roles, admins: readonly string[]): RightsLine[] {
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
      const until = endsAt ? `, until ${utc(endsAt)}` : ''
      const whom = { user: 'you', group: 'a user group that you are in', everyone: 'everyone here' }
      return joined(
        personLine(grantedBy),
        said(` gave it to ${whom[subject.kind]} on ${utc(grantedAt)}${until}`),
      )
    }
  }
}

function grantersLine(admins: readonly string[]): RightsLine {
  if (admins.length === 0) return said('Who can give you more: the admins of this workspace.')
  return joined(said('Who can give you more: '), listed(admins.slice(0, 20).map(personLine)), said('.'))
}
