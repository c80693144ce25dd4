import {
  actions,
  card,
  clip,
  commandButton,
  commandMenu,
  joinLines,
  type Line,
  lines,
  type Message,
  oneLine,
  section,
} from '@signalman/slack'
import type { KnownBlock, StaticSelect } from '@slack/types'
import { type GrantableRole, ROLE_DESCRIPTIONS } from '../../../domain/roles.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { AccessDecision, AccessRequest } from '../rules/requests.ts'
import { joinAll, personLine } from './rights.ts'

const requestLine = ({ userId, role }: Pick<AccessRequest, 'userId' | 'role'>, verb = 'asks'): Line =>
  joinAll(personLine(userId), ` ${verb} for the ${role} role, to ${ROLE_DESCRIPTIONS[role]}.`)

function decisionButtons({ id, role }: Pick<AccessRequest, 'id' | 'role'>) {
  return [
    commandButton('Approve', `/hc access-grant ${id}`, {
      inPlace: true,
      style: 'primary',
      accessibilityLabel: `Approve the ${role} role`,
    }),
    commandButton('Decline', `/hc access-decline ${id}`, {
      inPlace: true,
      accessibilityLabel: `Decline the ${role} role`,
    }),
  ]
}

/** The DM that asks an admin to approve or decline a request. */
export const requestView = (request: AccessRequest): Message =>
  card({
    headline: requestLine(request),
    notes: ['You can give this role. Nothing changes until someone decides.'],
    controls: decisionButtons(request),
  })

const waitingLine = (request: Pick<AccessRequest, 'userId' | 'role' | 'at'>): Line =>
  joinAll(requestLine(request), ' Asked ', new Date(request.at), '.')

/** Requests that are waiting for an admin, in App Home. */
export function homeRequestBlocks(waiting: readonly AccessRequest[]): KnownBlock[] {
  const hiddenCount = waiting.length - MAX_AT_HOME
  return [
    ...waiting
      .slice(0, MAX_AT_HOME)
      .flatMap((request) => [lines(waitingLine(request)), ...actions(...decisionButtons(request))]),
    ...(hiddenCount > 0
      ? [section(`${pluralize(hiddenCount, 'more request')} for access`, commandButton('All', '/hc access'))]
      : []),
  ]
}

const MAX_AT_HOME = 3

/** A request, and the name of the person who made it. */
export type NamedRequest = AccessRequest & { readonly name: string }

/** Requests that are waiting for an admin, in the answer to `/hc access`. */
export const requestLines = (listed: readonly NamedRequest[], hiddenCount: number): Line[] => [
  ...listed.map(waitingLine),
  ...(hiddenCount > 0
    ? [`${pluralize(hiddenCount, 'more request')} for access. To see them, decide some of these first.`]
    : []),
]

/** How many requests the answer to `/hc access` lists. */
export const MAX_LISTED = 5

/** A menu to approve or decline each of the listed requests. */
export function decisionMenu(listed: readonly NamedRequest[]): StaticSelect[] {
  const choices = listed.flatMap(({ id, role, name }) => {
    const shortName = clip(oneLine(name), 50)
    return [
      { label: `Approve ${role} for ${shortName}`, value: `/hc access-grant ${id}` },
      { label: `Decline ${role} for ${shortName}`, value: `/hc access-decline ${id}` },
    ]
  })
  return choices.length > 0 ? [commandMenu('Decide…', choices)] : []
}

/** When the new role ends. Empty unless the admin who approved has a temporary role. */
const untilLine = (until: string | undefined): Line => (until ? [', until ', new Date(until)] : [])

/** What became of the DM to the person who asked. Another admin may read a decision before that is known. */
function notificationText({ notificationFailed, notSentBecause }: AccessDecision): string {
  if (notSentBecause) return `. Signalman didn’t send them a DM: this person ${notSentBecause}.`
  if (notificationFailed === undefined) return '.'
  return notificationFailed
    ? '. Slack may not have delivered the message to them, so please tell them yourself.'
    : '. Signalman sent them a DM.'
}

/** Replaces the admins' DMs when one of them has decided. */
export const decidedView = (request: AccessRequest, decision: AccessDecision): Message => {
  const { by, at, isApproval, until } = decision
  return card({
    headline: joinAll(
      isApproval ? 'Approved by ' : 'Declined by ',
      personLine(by),
      ' ',
      new Date(at),
      isApproval ? joinAll('. They got the role', untilLine(until)) : '. Nothing changed',
      notificationText(decision),
    ),
    notes: [requestLine(request, 'asked')],
    controls: [commandButton('Roles', '/hc access')],
  })
}

/** The DM that tells the person who requested the role about the decision. */
export const decisionNotificationView = (
  { role }: AccessRequest,
  { by, isApproval, until }: AccessDecision,
): Message =>
  card({
    headline: isApproval
      ? joinAll(
          personLine(by),
          ` gave you the ${role} role. You can now ${ROLE_DESCRIPTIONS[role]}`,
          untilLine(until),
          '.',
        )
      : joinAll(personLine(by), ` declined your request for the ${role} role. If you need it, talk to them.`),
    controls: [commandButton('What can I do?', '/hc whoami')],
  })

/** Confirms that the request was sent. */
export const requestSentView = (role: GrantableRole, admins: readonly string[]): Message =>
  card({
    headline: joinAll(`I sent your request for the ${role} role to `, joinLines(admins.map(personLine)), '.'),
    notes: ['I’ll send you a DM when someone decides.'],
  })

/** Shown if the person asked for the same role within the last day. */
export const alreadyRequestedView = ({ role, at }: AccessRequest): Message =>
  card({
    headline: joinAll(`You asked for the ${role} role `, new Date(at), '. No one has decided yet.'),
    notes: ['Nothing was sent. You can ask again after a day.'],
    controls: [commandButton('Roles', '/hc access')],
  })

export const alreadyHasRoleView = (role: GrantableRole): Message =>
  card({
    headline: `You already have the ${role} role. You can ${ROLE_DESCRIPTIONS[role]}.`,
    controls: [commandButton('What can I do?', '/hc whoami')],
  })
