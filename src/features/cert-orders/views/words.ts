import { clip, type Line, oneLine, words } from '@signalman/slack'
import { quoteService } from '../../../bot/request/explain.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { firstRequester, mainName, type Order } from '../rules/order.ts'
import { STATES } from '../rules/refusals.ts'
import { ACTIONS, actionWords } from '../rules/request-fields.ts'
import { type Judged, type Names, neededApprovals, whatTheyShare } from '../rules/shown.ts'
import { displayName } from './facts.ts'

const ANSWER = 2000
const TITLE = 100
const REASON = 1000
export const MAX_DUPLICATES = 4

/** What the wording depends on. */
export interface Reader {
  /** They requested it. */
  owns?: boolean
  /** They are asked to approve it. */
  decides?: boolean
  /** They have approved it, and others haven't yet. */
  hasApproved?: boolean
}

/** The first line about an order, which is also the notification: its state, or what the reader is asked to do. */
export function answerLine(order: Order, judged: Judged, people: Names, reader: Reader = {}): Line {
  const { state, content, environment } = order
  const number = `${order.number}${badgeOf(environment)}`
  if (
    state === 'awaiting' &&
    reader.decides &&
    !reader.owns &&
    !reader.hasApproved &&
    judged.judgement.is === 'allow'
  )
    return [
      words(`Approve order ${number}?`),
      ` ${orderName(order)}`,
      `, ${clip(oneLine(content.request.duration), TITLE)}, requested by `,
      clip(oneLine(displayName(people, firstRequester(order))), TITLE),
      ' ',
      order.createdAt,
    ]
  const which = `${reader.owns ? 'Your order' : 'Order'} ${number}`
  const whole = state === 'unknown' ? `It’s unknown whether ${which.toLowerCase()} was placed` : which
  const { sign, says } = STATES[state]
  return [
    words(`${sign} ${whole}${says}`),
    ' · ',
    ...certificateName(order),
    ...progress(order, judged, people),
  ]
}

/** Progress, shown after the name. */
function progress({ state, content }: Order, judged: Judged, people: Names): string[] {
  const { approvals, outcome, ending } = content
  const by = (userId: string): string => clip(oneLine(displayName(people, userId)), TITLE)
  if (state === 'awaiting') {
    const who = approvals.length > 0 ? ` (${approvals.map((one) => by(one.by)).join(', ')})` : ''
    return [` · ${approvals.length} of ${counted(neededApprovals(judged), 'approval')}${who}`]
  }
  if (outcome?.kind === 'placed' && state === 'placed')
    return outcome.placed.id ? [` · number ${clip(oneLine(outcome.placed.id), TITLE)}`] : []
  if (!ending || state === 'withdrawn') return []
  return [
    ` · by ${ending.by === undefined ? 'the order policy' : by(ending.by)}${ending.reason ? `: ${clip(oneLine(ending.reason), REASON)}` : ''}`,
  ]
}

/** `Certificate for shop.example.com and 4 more names`. */
export const orderName = (order: Order): string =>
  `${(actionWords(order.content.request.action) ?? ACTIONS.create).lead} ${certificateName(order).join('')}`

/** `shop.example.com and 4 more names`. */
export function certificateName({ content: { csr } }: Pick<Order, 'content'>): string[] {
  const name = mainName(csr) || 'a certificate without a name'
  const more = csr.names.filter(({ text }) => text !== name).length
  return [
    clip(oneLine(name), TITLE),
    ...(more > 0 ? [` and ${more} more ${more === 1 ? 'name' : 'names'}`] : []),
  ]
}

/** Says that another order for the same key or certificate is or may be placed too. */
export function duplicateWords(order: Order, twins: readonly Order[]): string[] {
  if (twins.length === 0) return []
  const others = twins
    .slice(0, MAX_DUPLICATES)
    .map((twin) => `order ${twin.number}: ${STATES[twin.state].name.toLowerCase()}`)
  const shared = twins.every((twin) => whatTheyShare(order, twin) === 'key') ? 'key' : 'certificate'
  return [
    `🚨 Order ${order.number} was placed, and another one for the same ${shared} may have been placed too: ${others.join('; ')}. Cancel one of them at the service, or ask its support to. Reject any that are still waiting here.`,
  ]
}

const WHAT_TO_DO =
  'Signalman sends an order at most once and never resends it automatically. Look for its names among your orders at the service, or ask the service’s support. Then record here what you found.'

/** The outcome at the service, and what to do about it. */
export function outcomeWords({ state, content: { outcome } }: Order): string[] {
  if (!outcome) return []
  if (outcome.kind === 'placed') {
    const note = outcome.note ? [outcome.note] : []
    if (outcome.placed.id || outcome.by) return note
    const answer = clip(outcome.placed.answer.trim() || '(nothing)', ANSWER)
    return [...note, 'The service accepted the order without giving an order ID. Its answer begins:', answer]
  }
  const isOpen = state === 'unknown'
  return [
    [
      ...(isOpen ? ['The order may have been placed.'] : []),
      outcome.why,
      ...quoteService(outcome.said),
      ...(isOpen ? [WHAT_TO_DO] : []),
    ].join('\n'),
  ]
}

/** Says that the service answered after a person had recorded an outcome. */
export function correctedWords({ content: { outcome } }: Order, people: Names): string[] {
  const corrects = outcome && outcome.kind !== 'unknown' ? outcome.corrects : undefined
  if (!corrects) return []
  const said = `✏️ ${oneLine(displayName(people, corrects.by))} had recorded it as ${corrects.said === 'placed' ? 'placed' : 'not placed'}.`
  if (corrects.said === outcome?.kind) return [`${said} The service has since confirmed it.`]
  return [
    `${said} The service has since answered that it was ${outcome?.kind === 'placed' ? '' : 'not '}placed.`,
  ]
}

export const warningWords = ({ content: { csr } }: Order): string[] =>
  csr.warnings.map((warning) => `⚠️ Warning: ${warning}`)
