import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, header } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import type { Actor, Standing } from '../../../bot/access/actor.ts'
import { GIVEN_ROLES, ROLE_MEANS, type Roles } from '../../../domain/roles.ts'
import { joined, linesBlock, personLine, said } from './holder-lines.ts'
import { requestButtons } from './rights.ts'
import { memberLines } from './role-lines.ts'

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

const standingOf = ({ isSlackAdmin, standing }: Actor): string =>
  isSlackAdmin ? 'an admin of this workspace' : (STANDINGS[standing] ?? standing)

/** Roles that reach a guest, by a group or by everyone, are of no use to them: nothing is said of those. */
const GUEST_LINES = [
  said(
    `viewer: you may ${ROLE_MEANS.viewer}, as every member and guest, but not what members alone are shown: personal data of a domain’s owner, pictures and sources of pages.`,
  ),
  said(`${GIVEN_ROLES.join(', ')}: no. What these are needed for is refused to guests.`),
]
