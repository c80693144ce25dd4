import { actions, commandButton, header, type Message, message, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type GivenRole, ROLE_MEANS } from '../../../domain/roles.ts'
import { counted } from '../../../domain/wording.ts'
import { type AccessDecision, type AccessRequest, isWaiting } from '../requests.ts'
import { joined, linesBlock, listed, moment, personLine, type RightsLine, said } from './rights.ts'

const sentences = (
  title: string,
  lines: readonly RightsLine[],
  ...rest: Parameters<typeof actions>
): Message =>
  message(
    [title, ...lines.map(({ text }) => text)].join('\n'),
    header(title),
    linesBlock(...lines),
    actions(...rest),
  )

const wish = ({ userId, role }: Pick<AccessRequest, 'userId' | 'role'>): RightsLine =>
  joined(personLine(userId), said(` asks for the role ${role}: to ${ROLE_MEANS[role]}.`))

export function decisionButtons({ id, role }: Pick<AccessRequest, 'id' | 'role'>) {
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

/** What an admin is asked, in their direct messages. */
export function requestView(request: AccessRequest): Message {
  const lines = [
    wish(request),
    said('You are asked because you can give it. Nothing changes until somebody decides.'),
  ]
  return sentences('Request for access', lines, ...decisionButtons(request))
}

/** A line of the window of `/hc access`. */
export const requestLine = (request: AccessRequest): RightsLine =>
  joined(wish(request), said(' Asked '), moment(new Date(request.at)), said('.'))

const SHOWN_AT_HOME = 3

/** What waits for an admin, in App Home. */
export function homeRequestBlocks(requests: readonly AccessRequest[]): KnownBlock[] {
  const waiting = requests.filter(isWaiting)
  const more = waiting.length - SHOWN_AT_HOME
  return [
    ...waiting
      .slice(0, SHOWN_AT_HOME)
      .flatMap((request) => [linesBlock(requestLine(request)), ...actions(...decisionButtons(request))]),
    ...(more > 0
      ? [section(`${counted(more, 'more request')} for access`, commandButton('All', '/hc access'))]
      : []),
  ]
}

/** An admin for a time gives nothing that outlasts their own role. */
const untilLine = (until: string | undefined): RightsLine =>
  until ? joined(said(', until '), moment(new Date(until))) : { text: '', elements: [] }

/** What stands in the place of the question once somebody has decided. */
export function decidedView(request: AccessRequest, { by, at, isGiven, until }: AccessDecision): Message {
  const outcome = joined(
    said(isGiven ? 'Approved by ' : 'Declined by '),
    personLine(by),
    said(' '),
    moment(new Date(at)),
    ...(isGiven
      ? [said('. They have the role now'), untilLine(until), said(', and were told.')]
      : [said('. Nothing was changed, and they were told.')]),
  )
  return sentences(
    'Request for access',
    [wish(request), outcome],
    commandButton('Who may do what', '/hc access'),
  )
}

/** What the person who asked is told. */
export function answerView({ role }: AccessRequest, { by, isGiven, until }: AccessDecision): Message {
  const line = isGiven
    ? joined(
        personLine(by),
        said(` gave you the role ${role}: you may ${ROLE_MEANS[role]} now`),
        untilLine(until),
        said('.'),
      )
    : joined(
        personLine(by),
        said(` declined your request for the role ${role}. Ask them why, if you need it.`),
      )
  return sentences(
    isGiven ? 'You have access' : 'Access declined',
    [line],
    commandButton('What may I do?', '/hc whoami'),
  )
}

/** What the person who asks reads at once. */
export function askedView(role: GivenRole, admins: readonly string[]): Message {
  const line = joined(
    said(`Your request for the role ${role} went to `),
    listed(admins.map(personLine)),
    said('. You are told in your direct messages what comes of it.'),
  )
  return sentences('Access requested', [line])
}

/** The same was asked for within the last day. */
export function waitingView({ role, at }: AccessRequest): Message {
  const line = joined(
    said(`You asked for the role ${role} `),
    moment(new Date(at)),
    said(', and nobody has decided yet. You can ask again a day later; nothing was sent now.'),
  )
  return sentences('Access requested', [line], commandButton('Who may do what', '/hc access'))
}

export function alreadyView(role: GivenRole): Message {
  const line = said(`You have the role ${role} already: you may ${ROLE_MEANS[role]}.`)
  return sentences('You have access', [line], commandButton('What may I do?', '/hc whoami'))
}
