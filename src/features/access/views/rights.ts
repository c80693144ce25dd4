import {
  actions,
  commandButton,
  date,
  group,
  header,
  type Message,
  message,
  paragraph,
  person,
  richText,
  section,
  when,
  words,
} from '@signalman/slack'
import type { KnownBlock, RichTextElement } from '@slack/types'
import { GIVEN_ROLES, type GivenRole, ROLE_MEANS, type Roles } from '../../../domain/roles.ts'
import type { GivenRights, Holders } from '../rights.ts'

const ADMINS_BY_SLACK =
  'Slack’s own admins of this workspace are admins here too, and whoever installed Signalman. An admin may do everything. What an admin for a time gives ends with their own role at the latest; what others give stays when they leave.'

/** Who may do what, for a person who cannot change it. */
export function rightsView({ roles, ends }: GivenRights, own: Roles, admins: readonly string[]): Message {
  const lines = [
    said(`viewer (may ${ROLE_MEANS.viewer}): every member and guest of this workspace`),
    ...GIVEN_ROLES.map((role) => roleLine(role, roles[role])),
    ...endLines(ends),
  ]
  const known =
    admins.length > 0
      ? joined(said('To change this, ask '), listed(admins.slice(0, NAMED).map(personLine)), said('.'))
      : said('To change this, ask an admin of this workspace.')
  return message(
    ['Who may do what here', ...lines.map(({ text }) => text), ADMINS_BY_SLACK, known.text].join('\n'),
    header('Who may do what here'),
    linesBlock(...lines),
    section(ADMINS_BY_SLACK),
    linesBlock(known),
    actions(commandButton('What may I do?', '/hc whoami'), ...requestButtons(own)),
  )
}

/** A button for each role that the person does not have. */
export const requestButtons = (own: Roles) =>
  GIVEN_ROLES.filter((role) => !own.has(role)).map((role) =>
    commandButton(`Request ${role}`, `/hc access-request ${role}`),
  )

/** Everyone was given the role to change health checks. */
export function openedView(until: Date | undefined): Message {
  const line = joined(
    said(
      'Everyone in this workspace may now change health checks, their alerts and watches, and threat cases. Guests and people of other organizations still may not. ',
    ),
    until ? endsWith(until) : said('You can change it at any time.'),
  )
  return message(line.text, linesBlock(line), actions(commandButton('Who may do what', '/hc access')))
}

/** As text that a notification carries and as rich text; mentions notify nobody where only one person reads them. */
export interface RightsLine {
  text: string
  elements: RichTextElement[]
}

/** At most so many people or groups are named in a line. */
export const NAMED = 30

export const said = (text: string): RightsLine => ({ text, elements: [words(text)] })

export const moment = (at: Date): RightsLine => ({ text: when(at), elements: [date(at)] })

/** What is no user's id is written as it is: Slack would refuse the whole message. */
export const personLine = (userId: string): RightsLine =>
  /^[UW][A-Z0-9]+$/.test(userId) ? { text: `<@${userId}>`, elements: [person(userId)] } : said(userId)

const groupLine = (groupId: string): RightsLine => ({
  text: `<!subteam^${groupId}>`,
  elements: [group(groupId)],
})

/** The lines one behind the other. */
export const joined = (...lines: readonly RightsLine[]): RightsLine => ({
  text: lines.map(({ text }) => text).join(''),
  elements: lines.flatMap(({ elements }) => elements),
})

/** With commas between them. */
export const listed = (lines: readonly RightsLine[]): RightsLine =>
  joined(...lines.flatMap((line, index) => (index === 0 ? [line] : [said(', '), line])))

/** Several lines under each other, in one block. */
export const linesBlock = (...lines: readonly RightsLine[]): KnownBlock =>
  richText(
    paragraph(...joined(...lines.flatMap((line, i) => (i === 0 ? [line] : [said('\n'), line]))).elements),
  )

/** Everyone, groups, people; nobody. */
export function holdersLine({ everyone, groups, people }: Holders): RightsLine {
  const all = [
    ...(everyone ? [said('everyone in this workspace but guests')] : []),
    ...groups.map(groupLine),
    ...people.map(personLine),
  ]
  if (all.length === 0) return said('nobody yet')
  const more = all.length - NAMED
  return listed(more > 0 ? [...all.slice(0, NAMED), said(`and ${more} more`)] : all)
}

export const roleLine = (role: GivenRole, holders: Holders): RightsLine =>
  joined(said(`${role} (may ${ROLE_MEANS[role]}): `), holdersLine(holders))

/** What is said of a role that somebody gives whose own one has an end. */
export const endsWith = (until: Date): RightsLine =>
  joined(
    said('Your own role admin ends '),
    moment(until),
    said('. Whoever you give a role has it until then at most.'),
  )

/** A line for everybody who has a role for a time. */
export const endLines = (ends: GivenRights['ends']): RightsLine[] =>
  ends
    .slice(0, NAMED)
    .map(({ role, userId, endsAt }) =>
      joined(personLine(userId), said(` is ${role} until `), moment(new Date(endsAt))),
    )
