import { clip, type Line, oneLine, words } from '@signalman/slack'
import { serviceSaid } from '../../../bot/request/explain.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { ACTIONS, actionWords } from '../forms/order-fields.ts'
import { neededApprovals } from '../lifecycle.ts'
import { commonNamesIn, type Order } from '../order.ts'
import { sharedBy } from '../placed-twice.ts'
import { STATES } from '../refusals.ts'
import type { PolicyFor } from '../rules/rules.ts'
import type { Names } from '../shown-order.ts'
import { nameIn } from './facts.ts'

const ANSWER = 2000
const TITLE = 100
const CHANGE = 200
const REASON = 1000
const MOST_CHANGES = 10
export const MOST_TWINS = 4

/** Who reads of an order, as far as that changes what they read. */
export interface Reader {
  /** They asked for it. */
  owns?: boolean
  /** They are asked to decide on it. */
  decides?: boolean
  /** They have approved it, and others are waited for. */
  hasApproved?: boolean
}

/** The first line about an order, and all that a notification says: what became of it, or what is asked. */
export function answerLine(order: Order, policy: PolicyFor, people: Names, reader: Reader = {}): Line {
  const { state, content, environment, requesterId } = order
  const number = `${order.number}${badgeOf(environment)}`
  if (
    state === 'awaiting' &&
    reader.decides &&
    !reader.owns &&
    !reader.hasApproved &&
    policy.denied === undefined
  )
    return [
      words(`Approve order ${number}?`),
      ` ${orderName(order)}`,
      `, ${clip(oneLine(content.request.duration), TITLE)}, asked for by `,
      clip(oneLine(nameIn(people, requesterId)), TITLE),
      ' ',
      order.createdAt,
    ]
  const which = `${reader.owns ? 'Your order' : 'Order'} ${number}`
  const whole = state === 'unknown' ? `Nobody knows whether ${which.toLowerCase()} was placed` : which
  const { sign, says } = STATES[state]
  return [
    words(`${sign} ${whole}${says}`),
    ' · ',
    ...certificateName(order),
    ...standing(order, policy, people),
  ]
}

/** How far it is, behind its name. */
function standing({ state, content }: Order, policy: PolicyFor, people: Names): string[] {
  const { approvals, outcome, ending } = content
  const by = (userId: string): string => clip(oneLine(nameIn(people, userId)), TITLE)
  if (state === 'awaiting') {
    const who = approvals.length > 0 ? ` (${approvals.map((one) => by(one.by)).join(', ')})` : ''
    return [` · ${approvals.length} of ${counted(neededApprovals(content, policy), 'approval')}${who}`]
  }
  if (outcome?.kind === 'placed' && state === 'placed')
    return outcome.placed.id ? [` · number ${clip(oneLine(outcome.placed.id), TITLE)}`] : []
  if (!ending || state === 'withdrawn') return []
  return [` · by ${by(ending.by)}${ending.reason ? `: ${clip(oneLine(ending.reason), REASON)}` : ''}`]
}

/** `Certificate for shop.example.com and 4 more names`. */
export const orderName = (order: Order): string =>
  `${(actionWords(order.content.request.action) ?? ACTIONS.create).lead} ${certificateName(order).join('')}`

/** `shop.example.com and 4 more names`. */
export function certificateName({ content: { csr } }: Pick<Order, 'content'>): string[] {
  const [common] = commonNamesIn(csr.subject)
  const [first = ''] = csr.names
  const name = common || first.replace(/^DNS /, '') || csr.subject || 'a certificate without a name'
  const more = csr.names.filter((one) => one.replace(/^DNS /, '') !== name).length
  return [
    clip(oneLine(name), TITLE),
    ...(more > 0 ? [` and ${more} more ${more === 1 ? 'name' : 'names'}`] : []),
  ]
}

/** That another order for the same key or certificate is placed too, or may be. */
export function alarmWords(order: Order, twins: readonly Order[]): string[] {
  if (twins.length === 0) return []
  const others = twins
    .slice(0, MOST_TWINS)
    .map((twin) => `order ${twin.number}: ${STATES[twin.state].name.toLowerCase()}`)
  const shared = twins.every((twin) => sharedBy(order, twin) === 'key') ? 'key' : 'certificate'
  return [
    `🚨 Order ${order.number} is placed, and another one for the same ${shared} may be placed too: ${others.join('; ')}. Cancel one of them at the service, or ask its support to. Reject what still waits here.`,
  ]
}

const WHAT_TO_DO =
  'Signalman sent it once and never repeats it by itself. Look for its names among your orders at the service, or ask the service’s support. Then say here what you found.'

/** The outcome at the service, and what to do about it. */
export function outcomeWords({ state, content: { outcome } }: Order): string[] {
  if (!outcome) return []
  if (outcome.kind === 'placed') {
    const note = outcome.note ? [outcome.note] : []
    if (outcome.placed.id || outcome.by) return note
    const answer = clip(outcome.placed.answer.trim() || '(nothing)', ANSWER)
    return [...note, 'The service took the order and gave no order id. Its answer begins:', answer]
  }
  const isOpen = state === 'unknown'
  return [
    [
      ...(isOpen ? ['The order may have been placed.'] : []),
      outcome.why,
      ...serviceSaid(outcome.said),
      ...(isOpen ? [WHAT_TO_DO] : []),
    ].join('\n'),
  ]
}

/** That the service's own answer came after somebody had said what became of it. */
export function correctedWords({ content: { outcome } }: Order, people: Names): string[] {
  const corrects = outcome && outcome.kind !== 'unknown' ? outcome.corrects : undefined
  if (!corrects) return []
  const said = `✏️ ${oneLine(nameIn(people, corrects.by))} had said that it was ${corrects.said === 'placed' ? 'placed' : 'not placed'}.`
  if (corrects.said === outcome?.kind) return [`${said} The service has answered since, and says so too.`]
  return [`${said} The service has answered since: it was ${outcome?.kind === 'placed' ? '' : 'not '}placed.`]
}

/** What others made of it, shown to everyone who sees the order. */
export function changeWords({ content: { changes } }: Order, people: Names): string[] {
  const shown = changes.slice(-MOST_CHANGES)
  const said = shown.map(({ by, fields }) => {
    const lines = fields.map(
      ({ label, before, after }) =>
        `${label}: ${clip(oneLine(before) || '(empty)', CHANGE)} → ${clip(oneLine(after) || '(empty)', CHANGE)}`,
    )
    return [`✏️ Changed by ${oneLine(nameIn(people, by))}:`, ...lines].join('\n')
  })
  const left = changes.length - shown.length
  return left > 0 ? [`Left out: ${counted(left, 'earlier change')}.`, ...said] : said
}

export const warningWords = ({ content: { csr } }: Order): string[] =>
  csr.warnings.map((warning) => `⚠️ Warning: ${warning}`)
