import { clip, type Line, oneLine, type Part, textElement } from '@signalman/slack'
import { quoteService } from '../../../bot/request/explain.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { countNeededApprovals } from '../rules/judge.ts'
import { getFirstRequester, getMainName, type Order, type Received } from '../rules/order.ts'
import {
  type ComparedJudgment,
  type DisplayNames,
  findSharedIdentifier,
  listCountedApprovals,
} from '../rules/order-details.ts'
import { formatStatePredicate, STATE_TEXTS } from '../rules/order-states.ts'
import { ACTIONS, getActionTexts } from '../rules/request-fields.ts'
import { hasFailingStatus, quoteStatus } from './answer.ts'
import { getDisplayName } from './facts.ts'

const MAX_TITLE_LENGTH = 100
const MAX_REASON_LENGTH = 1000
export const MAX_DUPLICATES = 4

/** The reader of a message about an order. */
export interface Reader {
  /** Whether they requested the order. */
  isRequester?: boolean
  /** Whether they can approve it. */
  canApprove?: boolean
  /** Whether they have already approved it. */
  hasApproved?: boolean
}

/** The headline of a message about an order, also used for its notification: the state, or what the reader is asked to do. */
export function formatOrderHeadline(
  order: Order,
  policyJudgment: ComparedJudgment,
  people: DisplayNames,
  reader: Reader = {},
): Line {
  const { state, content, environment } = order
  const number = `${order.number}${environmentSuffix(environment)}`
  if (
    state === 'awaiting' &&
    reader.canApprove &&
    !reader.isRequester &&
    !reader.hasApproved &&
    policyJudgment.judgment.decision === 'allow'
  )
    return [
      textElement(`Approve order ${number}?`),
      ` ${formatOrderName(order)}`,
      `, ${clip(oneLine(content.request.duration), MAX_TITLE_LENGTH)}, requested by `,
      clip(oneLine(getDisplayName(people, getFirstRequester(order))), MAX_TITLE_LENGTH),
      ' ',
      order.createdAt,
    ]
  return [...formatState(order, reader), ...describeProgress(order, policyJudgment, people)]
}

/** `🟡 Order 12 is waiting for approval · shop.example.com`. */
export function formatState(order: Order, { isRequester }: Pick<Reader, 'isRequester'>): Part[] {
  const { state, number, environment } = order
  const orderNumber = `${isRequester ? 'Your order' : 'Order'} ${number}${environmentSuffix(environment)}`
  const sentence =
    state === 'unknown'
      ? `It’s unknown whether the service has ${orderNumber.toLowerCase()}`
      : `${orderNumber} ${formatStatePredicate(state)}`
  const emoji = state === 'received' && hasFailingStatus(order) ? '⚠️' : STATE_TEXTS[state].emoji
  return [textElement(`${emoji} ${sentence}`), ' · ', ...formatCertificateName(order)]
}

function describeProgress(order: Order, policyJudgment: ComparedJudgment, people: DisplayNames): string[] {
  const { state, content } = order
  const { outcome, ending } = content
  const formatPerson = (userId: string): string =>
    clip(oneLine(getDisplayName(people, userId)), MAX_TITLE_LENGTH)
  if (state === 'awaiting') {
    const approvals = listCountedApprovals(order, policyJudgment.comparison)
    const who =
      approvals.length > 0 ? ` (${approvals.map((approval) => formatPerson(approval.by)).join(', ')})` : ''
    return [` · ${approvals.length} of ${pluralize(countNeededApprovals(policyJudgment), 'approval')}${who}`]
  }
  if (outcome?.kind === 'received' && state === 'received') return [` · ${describeReceipt(outcome)}`]
  if (!ending || state === 'withdrawn') return []
  const by = ending.by === undefined ? 'the order policy' : formatPerson(ending.by)
  const reason = ending.reason ? `: ${clip(oneLine(ending.reason), MAX_REASON_LENGTH)}` : ''
  return [` · by ${by}${reason}`]
}

/** `the service gave it ID 4711 and says status: pending`. */
function describeReceipt({ answered, by }: Received): string {
  const id = answered.id && clip(oneLine(answered.id), MAX_TITLE_LENGTH)
  if (by !== undefined || !id) return id ? `the service has it as ${id}` : 'the service has it'
  const status = quoteStatus(answered, 1)
  return `the service gave it ID ${id}${status ? ` and says ${status}` : ''}`
}

/** `Certificate for shop.example.com and 4 more names`. */
export const formatOrderName = (order: Order): string =>
  `${(getActionTexts(order.content.request.action) ?? ACTIONS.create).lead} ${formatCertificateName(order).join('')}`

/** `shop.example.com and 4 more names`. */
export function formatCertificateName({ content: { csr } }: Pick<Order, 'content'>): string[] {
  const name = getMainName(csr) || 'a certificate without a name'
  const more = listCertificateNames(csr).length - 1
  return [
    clip(oneLine(name), MAX_TITLE_LENGTH),
    ...(more > 0 ? [` and ${more} more ${more === 1 ? 'name' : 'names'}`] : []),
  ]
}

/** Warns about other orders for the same key or certificate that the service has or may have. */
export function describeDuplicates(order: Order, duplicates: readonly Order[]): string[] {
  if (duplicates.length === 0) return []
  const others = duplicates
    .slice(0, MAX_DUPLICATES)
    .map((duplicate) => `order ${duplicate.number}: ${STATE_TEXTS[duplicate.state].name.toLowerCase()}`)
  const shared = duplicates.every((duplicate) => findSharedIdentifier(order, duplicate) === 'key')
    ? 'key'
    : 'certificate'
  return [
    `🚨 The service has order ${order.number}, and may have another one for the same ${shared}: ${others.join('; ')}. Cancel one of them at the service, or ask its support to. Reject any that are still waiting here.`,
  ]
}

const UNKNOWN_OUTCOME_ADVICE =
  'Signalman sends an order at most once and never resends it automatically. Look for its names among your orders at the service, or ask the service’s support. Then record here what you found.'

/** The outcome at the service, and what to do about it. */
export function describeOutcome({ state, content: { outcome } }: Order): string[] {
  if (!outcome) return []
  if (outcome.kind === 'received') return outcome.note ? [outcome.note] : []
  const isOpen = state === 'unknown'
  return [
    [
      ...(isOpen ? ['The service may have the order.'] : []),
      outcome.why,
      ...quoteService(outcome.said),
      ...(isOpen ? [UNKNOWN_OUTCOME_ADVICE] : []),
    ].join('\n'),
  ]
}

/** Says that the service answered after a person had already recorded an outcome. */
export function describeCorrection({ content: { outcome } }: Order, people: DisplayNames): string[] {
  const corrects = outcome && outcome.kind !== 'unknown' ? outcome.corrects : undefined
  if (!corrects) return []
  const recorded = `✏️ ${oneLine(getDisplayName(people, corrects.by))} had recorded that ${corrects.said === 'received' ? 'the service has it' : 'it failed'}.`
  if (outcome?.kind === 'failed' && outcome.isUnsent)
    return [`${recorded} Signalman has since found that it wasn’t sent.`]
  if (corrects.said === outcome?.kind) return [`${recorded} The service has since confirmed it.`]
  return [
    `${recorded} The service has since ${outcome?.kind === 'received' ? 'given it an ID' : 'refused it'}.`,
  ]
}

export const formatWarnings = ({ content: { csr } }: Order): string[] =>
  csr.warnings.map((warning) => `⚠️ Warning: ${warning}`)
