import { card, commandButton, type Fact, type Line, type Message, oneLine } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import type { Order } from '../rules/order.ts'
import { type Judged, type Names, NOTHING_EARLIER, neededApprovals, type Shown } from '../rules/shown.ts'
import { AS_ANSWERED, answerPage, recordBlocks, recordLines } from './answer.ts'
import { type CardReader, orderControls } from './buttons.ts'
import { comparisonWords } from './comparison.ts'
import { cardFacts, displayName, policyWords, sentFacts, statusFacts } from './facts.ts'
import { extensionLines, noteLines, summarizeWarnings } from './request.ts'
import {
  answerLine,
  correctedWords,
  duplicateWords,
  MAX_DUPLICATES,
  outcomeWords,
  warningWords,
} from './words.ts'

/** The approvers' card, redrawn at each step. */
export const cardView = (order: Order, shown: Shown): Message =>
  orderCard(order, shown, { decides: true }, cardFacts(order, shown))

/** Who was asked to approve: people, only the approvals channel, or nobody. */
export type WhoIsAsked = 'people' | 'channel' | 'nobody'

const ASKED: Readonly<Record<Exclude<WhoIsAsked, 'people'>, string>> = {
  channel: 'Only the approvals channel was asked, because nobody else is named as an approver.',
  nobody: 'Nobody was asked, because nobody else is named as an approver.',
}
const nameApproversHint = (): string => `An admin can name approvers in ${cmd('/hc access')}.`

interface WhoWasAsked {
  asked: WhoIsAsked
  notNotified?: number
}

function askedWords({ asked, notNotified = 0 }: WhoWasAsked): string[] {
  if (asked !== 'people') return [`${ASKED[asked]} ${nameApproversHint()}`]
  if (notNotified === 0) return []
  const others = counted(notNotified, 'other', 'others')
  return [
    `${others} who can approve it ${notNotified === 1 ? 'wasn’t' : 'weren’t'} messaged, because there are too many. To reach everyone, an admin can choose an approvals channel in ${cmd('/cert-order policy')}.`,
  ]
}

/**
 * The requester's message about their order, redrawn at each step. `decides`: they may approve their own. `notNotified`: how many
 * approvers weren't notified.
 */
export function noticeView(
  order: Order,
  { asked, notNotified = 0, decides, ...shown }: Shown & WhoWasAsked & { decides?: boolean },
): Message {
  const reader: CardReader = { owns: true, decides: decides ?? false }
  const notes = [
    ...importantNotes(order, shown),
    ...(order.state === 'awaiting' ? askedWords({ asked, notNotified }) : []),
    ...nextWords(order),
  ]
  return card({
    answer: answerLine(order, shown, shown.people, { owns: true }),
    notes,
    body: [recordBlocks(recordLines(order))],
    ...orderControls(order, reader),
  })
}

/** For the previous requester of an order that was handed over. */
export const handedOverView = (order: Order, people: Names): Message =>
  card({
    answer: `Order ${order.number}${badgeOf(order.environment)} was handed over to ${oneLine(displayName(people, order.requesterId))}`,
    notes: [
      'They get the messages about it and can withdraw it. Unless the order policy lets approvers approve their own orders, you still can’t approve it.',
    ],
    controls: [commandButton('Details', `/cert-order show ${order.number}`)],
  })

/** One line about an order's newest step, for the thread of the requester's message. */
export const stepView = (order: Order, shown: Shown): Message =>
  card({
    answer: answerLine(order, shown, shown.people, { owns: true }),
    notes: correctedWords(order, shown.people),
  })

/** What the requester has to do after the order is placed. */
function nextWords(order: Order): string[] {
  const { state, content } = order
  if (state !== 'placed') return []
  const [host] = content.csr.names.flatMap(({ kind, text }) =>
    kind === 'DNS' ? [text.replace(/^\*\./, '')] : [],
  )
  const method = content.request.validationMethod ?? 'VALIDATE_DNS'
  const how = /dns/i.test(method) ? ' by DNS' : ''
  if (host === undefined || recordLines(order).length > 0) return []
  return [`Next, prove that you control ${host}${how}. The service tells you how.`]
}

/** An order in full, for anyone who opens it. */
export function shownView(order: Order, shown: Shown, reader: CardReader): Message {
  const { csr } = order.content
  const requested = extensionLines(csr)
  return orderCard(order, shown, { ...reader, isShown: true }, [
    ...statusFacts(order, shown, shown.people),
    ...sentFacts(order.content),
    ['Requested extensions', requested.length > 0 ? requested.join('\n') : undefined],
    ['Fingerprint', order.bodyHash.slice(0, 12)],
  ])
}

/** What people must know first, such as duplicates. */
const importantNotes = (order: Order, { people, twins = [], notSentBecause }: Shown): string[] => [
  ...(notSentBecause && order.state === 'awaiting' ? [`It wasn’t sent right away. ${notSentBecause}`] : []),
  ...duplicateWords(order, twins),
  ...correctedWords(order, people),
  ...outcomeWords(order),
]

/** Notes for the approver; empty once the order is decided. */
export function openNotes(order: Order, shown: Shown): string[] {
  if (order.state !== 'awaiting') return []
  const compared = comparisonWords(order, shown.comparison ?? NOTHING_EARLIER)
  const isWarning = (note: string): boolean => note.startsWith('⚠️')
  return [
    ...policyWords(shown, order),
    // Shown above a check mark that only refers to the request.
    ...compared.filter(isWarning),
    summarizeWarnings(order.content),
    ...noteLines(order.content.csr).map((line) => `• ${line}`),
    ...warningWords(order),
    ...compared.filter((note) => !isWarning(note)),
  ]
}

const SUBMITTING = 'The service hasn’t answered yet.'
/** Only the requester gets it. */
const ANSWER_FOLLOWS = `${SUBMITTING} I’ll post its answer in our DM.`
const TOLD = 'I’ll post every step in our DM.'

function orderCard(order: Order, shown: Shown, reader: CardReader, entries: readonly Fact[]): Message {
  const records = recordLines(order)
  return card({
    answer: answerLine(order, shown, shown.people, reader),
    notes: [
      ...importantNotes(order, shown),
      ...(order.state === 'submitting' ? [reader.owns ? ANSWER_FOLLOWS : SUBMITTING] : []),
      ...(reader.owns ? nextWords(order) : []),
      ...openNotes(order, shown),
    ],
    facts: entries,
    body: [recordBlocks(records)],
    small: [
      ...(reader.isShown && reader.owns && order.state === 'awaiting' ? [TOLD] : []),
      ...(answerPage(order) === undefined ? [] : [AS_ANSWERED]),
      ...(order.environment === 'ote' ? ['OTE test environment'] : []),
    ],
    ...orderControls(order, reader),
  })
}

/** Reminds approvers. Short, because the card is above. */
export function alertView(order: Order, people: Names, judged: Judged): Message {
  const corrected = correctedWords(order, people)
  const { state, number, content } = order
  const lead: Line =
    state === 'awaiting'
      ? `Reminder: order ${number} is still waiting for a decision · ${content.approvals.length} of ${counted(neededApprovals(judged), 'approval')}`
      : answerLine(order, judged, people)
  return card({
    answer: lead,
    notes: [...corrected, ...outcomeWords(order)],
    ...orderControls(order, { decides: true }),
  })
}

/** Alerts approvers and the requester that two orders for one certificate were or may have been placed. */
export const duplicateAlertView = (order: Order, twins: readonly Order[]): Message =>
  card({
    answer: duplicateWords(order, twins),
    controls: [order, ...twins.slice(0, MAX_DUPLICATES)].map(({ number }) =>
      commandButton(`Show order ${number}`, `/cert-order show ${number}`),
    ),
  })
