import { card, clip, commandButton, type Fact, type Line, type Message, oneLine } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { countNeededApprovals, describeUnusual } from '../rules/judge.ts'
import type { Order } from '../rules/order.ts'
import {
  type ComparedJudgment,
  type DisplayNames,
  listCountedApprovals,
  type OrderDetails,
} from '../rules/order-details.ts'
import { answerBlocks, FIRST_ANSWER_NOTE, findRawAnswer } from './answer.ts'
import { type CardReader, orderControls, sharedControls } from './buttons.ts'
import { describeChanges, listComparisonWarnings } from './comparison.ts'
import {
  cardFacts,
  describePolicyResult,
  getDisplayName,
  sentFacts,
  sharedFacts,
  statusFacts,
} from './facts.ts'
import { describeLongestDuration, listExtensionLines, listNoteLines, summarizeWarnings } from './request.ts'
import {
  describeCorrection,
  describeDuplicates,
  describeOutcome,
  formatOrderHeadline,
  formatState,
  formatWarnings,
  MAX_DUPLICATES,
} from './words.ts'

/** The approvers' card, redrawn at each step. */
export const cardView = (order: Order, details: OrderDetails): Message =>
  orderCard(order, details, { canApprove: true }, cardFacts(order, details))

/** Who was asked to approve: named approvers, only the approvals channel, or nobody. */
export type AskedAudience = 'people' | 'channel' | 'nobody'

const AUDIENCE_TEXTS: Readonly<Record<Exclude<AskedAudience, 'people'>, string>> = {
  channel: 'Only the approvals channel was notified, because nobody else was found to ask.',
  nobody: 'Nobody was notified, because nobody else was found to ask.',
}
/** Only people who were given the role, or else admins, are asked. Admins, and everyone if they were given the role, can approve too. */
const addApproversHint = (): string =>
  `Anyone with the approver or admin role can approve it. An admin can add approvers in ${cmd('/hc access')}.`

interface AskedApprovers {
  audience: AskedAudience
  notNotified?: number
}

function describeAudience({ audience, notNotified = 0 }: AskedApprovers): string[] {
  if (audience !== 'people') return [`${AUDIENCE_TEXTS[audience]} ${addApproversHint()}`]
  if (notNotified === 0) return []
  const others = pluralize(notNotified, 'other', 'others')
  return [
    `${others} who can approve it ${notNotified === 1 ? 'wasn’t' : 'weren’t'} messaged, because there are too many. To reach everyone, an admin can choose an approvals channel in ${cmd('/cert-order policy')}.`,
  ]
}

/**
 * The requester's message about their order, redrawn at each step. `canApprove`: the requester may approve it. `notNotified`: how many
 * approvers weren't messaged.
 */
export function noticeView(
  order: Order,
  {
    audience,
    notNotified = 0,
    canApprove,
    ...details
  }: OrderDetails & AskedApprovers & { canApprove?: boolean },
): Message {
  const reader: CardReader = { isRequester: true, canApprove: canApprove ?? false }
  const notes = [
    ...listImportantNotes(order, details),
    ...(order.state === 'awaiting' ? describeAudience({ audience, notNotified }) : []),
    ...listNextStepNotes(order),
  ]
  return card({
    headline: formatOrderHeadline(order, details, details.people, { isRequester: true }),
    notes,
    body: [answerBlocks(order)],
    ...orderControls(order, reader),
  })
}

/** Tells the requester once that the policy has changed and blocks their order. */
export const blockedView = (order: Order, reasons: readonly string[]): Message =>
  card({
    headline: `⛔ The order policy no longer allows your order ${order.number}${environmentSuffix(order.environment)}`,
    notes: [
      ...reasons,
      'It keeps waiting, and can be approved if the policy changes again. To request it with other values, withdraw it, then press Request again.',
    ],
    controls: [
      commandButton('Withdraw', `/cert-order withdraw ${order.number}`),
      commandButton('Details', `/cert-order show ${order.number}`),
    ],
  })

/** Replaces a former requester's message after the order was handed over. */
export const handedOverView = (order: Order, people: DisplayNames): Message =>
  card({
    headline: `Order ${order.number}${environmentSuffix(order.environment)} was handed over to ${oneLine(getDisplayName(people, order.requesterId))}`,
    notes: [
      'They get the messages about it and can withdraw it. It still counts as your own order: you can approve it only if the order policy lets people approve their own orders.',
    ],
    controls: [commandButton('Details', `/cert-order show ${order.number}`)],
  })

/** One line about an order's newest step: for the thread of the requester's message, or for whoever hears it instead of them. */
export const stepView = (order: Order, details: OrderDetails): Message => {
  const { hasRequesterLeft, people } = details
  return card({
    headline: formatOrderHeadline(order, details, people, { isRequester: !hasRequesterLeft }),
    notes: [
      ...describeCorrection(order, people),
      ...(hasRequesterLeft
        ? [`${oneLine(getDisplayName(people, order.requesterId))} has left the workspace.`]
        : []),
    ],
    controls: hasRequesterLeft ? [commandButton('Details', `/cert-order show ${order.number}`)] : [],
  })
}

const NEXT_STEP =
  'Read the service’s answer for what it needs from you next. Signalman doesn’t interpret it, because the service doesn’t document it.'

/** What the requester has to do after the service got the order. */
const listNextStepNotes = (order: Order): string[] =>
  order.state === 'received' && findRawAnswer(order) !== undefined ? [NEXT_STEP] : []

/** An order in full, for anyone who opens it. */
export function orderView(order: Order, details: OrderDetails, reader: CardReader): Message {
  const { csr } = order.content
  const extensions = listExtensionLines(csr)
  return orderCard(order, details, { ...reader, isDetailView: true }, [
    ...statusFacts(order, details, details.people),
    ...sentFacts(order.content),
    ['Requested extensions', extensions.length > 0 ? extensions.join('\n') : undefined],
    ['Fingerprint', order.bodyHash.slice(0, 12)],
  ])
}

/**
 * The order for a channel, in which anyone may read: facts only. Names nobody, and leaves out what people wrote and what the service
 * answered. Everyone sees the approver's buttons, because each click is checked.
 */
export const sharedView = (order: Order): Message =>
  card({
    headline: formatState(order, {}),
    facts: [...sharedFacts(order), ['Requested', order.createdAt]],
    ...(order.environment === 'ote' && { smallPrint: ['OTE test environment'] }),
    controls: sharedControls(order),
  })

/** The most important notes: why the order wasn't sent, duplicates, and the outcome. */
const listImportantNotes = (
  order: Order,
  { people, duplicates, notSentBecause }: OrderDetails,
): Line[] => [
  ...(notSentBecause && order.state === 'awaiting' ? [`It wasn’t sent right away. ${notSentBecause}`] : []),
  ...describeDuplicates(order, duplicates),
  ...describeCorrection(order, people),
  ...describeOutcome(order),
]

const describeLeaver = (order: Order, { people }: OrderDetails): string =>
  `⚠️ ${oneLine(getDisplayName(people, order.requesterId))} has left the workspace. What follows goes to the last approver, or to all approvers.`

/** Says who vouches for the product of a renewed certificate, because the policy depends on it and the request doesn't name it. */
function describeRenewedProduct({ renewed, request }: Order['content']): string[] {
  if (request.certificateId === undefined || !renewed?.productId || !renewed.saidBy) return []
  const { productId, product } = renewed
  const name = clip(oneLine(product ? `${product} (${productId})` : productId), MAX_PRODUCT_LENGTH)
  return [`⚠️ The requester says that the product is ${name}. Signalman has no order that shows it.`]
}

/** Nothing shows that the certificate that is renewed exists, or for which names it is. */
const describeUnknownCertificate = ({ content: { request } }: Order): string =>
  `⚠️ Signalman doesn’t know certificate ${clip(oneLine(request.certificateId ?? ''), MAX_PRODUCT_LENGTH)}: no order from here renewed it.`

const MAX_PRODUCT_LENGTH = 200

/** What the policy, the requester, and the product mean for the decision. */
export const describeJudgment = (order: Order, details: OrderDetails): string[] => [
  ...(details.hasRequesterLeft ? [describeLeaver(order, details)] : []),
  ...describePolicyResult(details, order),
  ...(details.comparison.isCertificateUnknown ? [describeUnknownCertificate(order)] : []),
  ...(details.policy.products.length > 0 ? describeRenewedProduct(order.content) : []),
]

/** Notes for the approver; empty once the order is decided. */
function listApproverNotes(order: Order, details: OrderDetails): Line[] {
  if (order.state !== 'awaiting') return []
  const { comparison, now } = details
  return [
    ...describeJudgment(order, details),
    ...listComparisonWarnings(order, comparison),
    ...(describeUnusual(order.content).length > 0
      ? [describeLongestDuration(order.content, now)].filter((note) => note !== undefined)
      : []),
    summarizeWarnings(order.content, now),
    ...listNoteLines(order.content.csr).map((line) => `• ${line}`),
    ...formatWarnings(order),
    ...describeChanges(order, comparison),
  ]
}

const SUBMITTING_NOTE = 'The service hasn’t answered yet.'
/** For the requester. */
const ANSWER_FOLLOWS_NOTE = `${SUBMITTING_NOTE} I’ll post its answer in our DM.`
const STEPS_FOLLOW_NOTE = 'I’ll post every step in our DM.'

function orderCard(
  order: Order,
  details: OrderDetails,
  reader: CardReader,
  entries: readonly Fact[],
): Message {
  return card({
    headline: formatOrderHeadline(order, details, details.people, reader),
    notes: [
      ...listImportantNotes(order, details),
      ...(order.state === 'submitting' ? [reader.isRequester ? ANSWER_FOLLOWS_NOTE : SUBMITTING_NOTE] : []),
      ...(reader.isRequester ? listNextStepNotes(order) : []),
      ...listApproverNotes(order, details),
    ],
    facts: entries,
    body: [reader.isDetailView ? answerBlocks(order) : []],
    smallPrint: [
      ...(reader.isDetailView && reader.isRequester && order.state === 'awaiting' ? [STEPS_FOLLOW_NOTE] : []),
      ...(findRawAnswer(order) === undefined ? [] : [FIRST_ANSWER_NOTE]),
      ...(order.environment === 'ote' ? ['OTE test environment'] : []),
    ],
    ...orderControls(order, reader),
  })
}

/** Reminds approvers, or alerts them to an outcome. Short, because the card already has the details. */
export function alertView(order: Order, people: DisplayNames, policyJudgment: ComparedJudgment): Message {
  const corrected = describeCorrection(order, people)
  const { state, number } = order
  const headline: Line =
    state === 'awaiting'
      ? `Reminder: order ${number} is still waiting for a decision · ${listCountedApprovals(order, policyJudgment.comparison).length} of ${pluralize(countNeededApprovals(policyJudgment), 'approval')}`
      : formatOrderHeadline(order, policyJudgment, people)
  return card({
    headline,
    notes: [...corrected, ...describeOutcome(order)],
    ...orderControls(order, { canApprove: true }),
  })
}

/** Alerts approvers and the requester that the service has or may have several orders for one certificate. */
export const duplicateAlertView = (order: Order, duplicates: readonly Order[]): Message =>
  card({
    headline: describeDuplicates(order, duplicates),
    controls: [order, ...duplicates.slice(0, MAX_DUPLICATES)].map(({ number }) =>
      commandButton(`Show order ${number}`, `/cert-order show ${number}`),
    ),
  })
