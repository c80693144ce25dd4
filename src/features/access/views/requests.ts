import {
  actions,
  card,
  commandButton,
  context,
  joined,
  type Line,
  lines,
  type Message,
  section,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type GivenRole, ROLE_MEANS } from '../../../domain/roles.ts'
import { counted } from '../../../domain/wording.ts'
import type { AccessDecision, AccessRequest } from '../rules/requests.ts'
import { personLine, run } from './rights.ts'

const requestLine = ({ userId, role }: Pick<AccessRequest, 'userId' | 'role'>, asks = 'asks'): Line =>
  run(personLine(userId), ` ${asks} for the role ${role}, to ${ROLE_MEANS[role]}.`)

function decisionButtons({ id, role }: Pick<AccessRequest, 'id' | 'role'>) {
  return [
    commandButton('Approve', `/hc access-grant ${id}`, {
      inPlace: true,
      style: 'primary',
      spoken: `Approve the role ${role}`,
    }),
    commandButton('Decline', `/hc access-decline ${id}`, {
      inPlace: true,
      spoken: `Decline the role ${role}`,
    }),
  ]
}

/** What an admin is asked in a DM. */
export const requestView = (request: AccessRequest): Message =>
  card({
    answer: requestLine(request),
    notes: ['You can give this role. Nothing changes until someone decides.'],
    controls: decisionButtons(request),
  })

/** The first waiting requests with their buttons, and how many more there are. */
function requestBlocks(
  waiting: readonly AccessRequest[],
  most: number,
  more: (words: string) => KnownBlock,
): KnownBlock[] {
  const left = waiting.length - most
  return [
    ...waiting
      .slice(0, most)
      .flatMap((request) => [
        lines(run(requestLine(request), ' Asked ', new Date(request.at), '.')),
        ...actions(...decisionButtons(request)),
      ]),
    ...(left > 0 ? [more(`${counted(left, 'more request')} for access`)] : []),
  ]
}

/** Requests that are waiting for an admin, in App Home. */
export const homeRequestBlocks = (waiting: readonly AccessRequest[]): KnownBlock[] =>
  requestBlocks(waiting, 3, (words) => section(words, commandButton('All', '/hc access')))

/** The same in the window of `/hc access`, which has no pages. */
export const windowRequestBlocks = (waiting: readonly AccessRequest[]): KnownBlock[] =>
  requestBlocks(waiting, 5, (words) =>
    context(`${words}. To see them, decide some of these first, then open this again.`),
  )

/** A temporary admin can't give anything that outlasts their own role. */
const untilLine = (until: string | undefined): Line => (until ? [', until ', new Date(until)] : [])

/** What replaces the question once someone decided. */
export const decidedView = (
  request: AccessRequest,
  { by, at, isGiven, until, isNotificationFailed }: AccessDecision,
): Message =>
  card({
    answer: run(
      isGiven ? 'Approved by ' : 'Declined by ',
      personLine(by),
      ' ',
      new Date(at),
      isGiven ? run('. They now have the role', untilLine(until)) : '. Nothing changed',
      isNotificationFailed
        ? '. Slack may not have delivered the message to them, so please tell them yourself.'
        : '. Signalman sent them a DM.',
    ),
    notes: [requestLine(request, 'asked')],
    controls: [commandButton('Roles', '/hc access')],
  })

/** The message to the person who asked. */
export const answerView = ({ role }: AccessRequest, { by, isGiven, until }: AccessDecision): Message =>
  card({
    answer: isGiven
      ? run(
          personLine(by),
          ` gave you the role ${role}. You can now ${ROLE_MEANS[role]}`,
          untilLine(until),
          '.',
        )
      : run(personLine(by), ` declined your request for the role ${role}. If you need it, talk to them.`),
    controls: [commandButton('What can I do?', '/hc whoami')],
  })

/** What the person who asks sees immediately. */
export const askedView = (role: GivenRole, admins: readonly string[]): Message =>
  card({
    answer: run(`I sent your request for the role ${role} to `, joined(admins.map(personLine)), '.'),
    notes: ['I’ll send you a DM when someone decides.'],
  })

/** The same role was requested within the last day. */
export const waitingView = ({ role, at }: AccessRequest): Message =>
  card({
    answer: run(`You asked for the role ${role} `, new Date(at), '. No one has decided yet.'),
    notes: ['Nothing was sent. You can ask again after a day.'],
    controls: [commandButton('Roles', '/hc access')],
  })

export const alreadyView = (role: GivenRole): Message =>
  card({
    answer: `You already have the role ${role}. You can ${ROLE_MEANS[role]}.`,
    controls: [commandButton('What can I do?', '/hc whoami')],
  })
