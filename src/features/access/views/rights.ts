import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { GIVEN_ROLES, ROLE_MEANS, type Roles } from '../../../domain/roles.ts'
import type { GivenRights } from '../rights.ts'
import { endLines, joined, linesBlock, listed, NAMED, personLine, roleLine, said } from './holder-lines.ts'

const ADMINS_BY_SLACK =
  'Slack’s own admins of this workspace are admins here too, and whoever installed Signalman. An admin may do everything.'

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
export function openedView(): Message {
  const sentence =
    'Everyone in this workspace may now change health checks, their alerts and watches, and threat cases. Guests and people of other organizations still may not. You can change it at any time.'
  return message(sentence, section(sentence), actions(commandButton('Who may do what', '/hc access')))
}
