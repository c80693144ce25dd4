import {
  actions,
  card,
  commandButton,
  context,
  joinLines,
  type Line,
  lines,
  type Message,
  section,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
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

/** The first `max` waiting requests with their buttons, and how many more there are. */
function requestBlocks(
  waiting: readonly AccessRequest[],
  max: number,
  showMore: (text: string) => KnownBlock,
): KnownBlock[] {
  const hiddenCount = waiting.length - max
  return [
    ...waiting
      .slice(0, max)
      .flatMap((request) => [
        lines(joinAll(requestLine(request), ' Asked ', new Date(request.at), '.')),
        ...actions(...decisionButtons(request)),
      ]),
    ...(hiddenCount > 0 ? [showMore(`${pluralize(hiddenCount, 'more request')} for access`)] : []),
  ]
}

/** Requests that are waiting for an admin, in App Home. */
export const homeRequestBlocks = (waiting: readonly AccessRequest[]): KnownBlock[] =>
  requestBlocks(waiting, 3, (text) => section(text, commandButton('All', '/hc access')))

/** Requests that are waiting for an admin, in the window of `/hc access`. The window has no pages. */
export const windowRequestBlocks = (waiting: readonly AccessRequest[]): KnownBlock[] =>
  requestBlocks(waiting, 5, (text) =>
    context(`${text}. To see them, decide some of these first, then open this again.`),
  )

/** When the new role ends. Empty unless the admin who approved has a temporary role. */
const untilLine = (until: string | undefined): Line => (until ? [', until ', new Date(until)] : [])

/** Replaces the admins' DMs when one of them has decided. */
export const decidedView = (
  request: AccessRequest,
  { by, at, isApproval, until, notificationFailed }: AccessDecision,
): Message =>
  card({
    headline: joinAll(
      isApproval ? 'Approved by ' : 'Declined by ',
      personLine(by),
      ' ',
      new Date(at),
      isApproval ? joinAll('. They now have the role', untilLine(until)) : '. Nothing changed',
      notificationFailed
        ? '. Slack may not have delivered the message to them, so please tell them yourself.'
        : '. Signalman sent them a DM.',
    ),
    notes: [requestLine(request, 'asked')],
    controls: [commandButton('Roles', '/hc access')],
  })

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
