import { card, clip, commandButton, type Fact, type Line, type Message, oneLine } from '@signalman/slack'
import type { Button } from '@slack/types'
import { MAX_REACHABLE } from '../../../bot/access/reachable.ts'
import { cmd } from '../../../domain/command-names.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { guessEnd } from '../rules/durations.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { type Order, writeOrderCommand } from '../rules/order.ts'
import { listFieldValues, type TextFieldName } from '../rules/request-fields.ts'
import { hasForeignNames, listReviewNotes, type OrderDetails } from '../rules/review.ts'
import {
  describeCorrection,
  describeOutcome,
  formatCertificateName,
  formatNumber,
  formatOrderHeadline,
  formatPerson,
  formatState,
  formatWarnings,
  NOTHING_UNUSUAL,
  type Reader,
} from './words.ts'

/** A card that others read by now, who have read that the order is waiting. */
export const notWaitingView = ({ number }: Order): Message =>
  card({ headline: `Order ${number} isn’t waiting anymore.` })

export const cardView = (order: Order, details: OrderDetails): Message =>
  orderCard(order, details, { canApprove: true, isRedrawn: true }, listShortFacts(order, details))

/**
 * What became of an order, in sentences: the requester's message, redrawn at each step, and the answer to a decision. `asked`: whether
 * anybody was found who can approve it.
 */
export const outcomeView = (
  order: Order,
  details: OrderDetails,
  reader: Reader,
  asked: Asked = 'enough',
): Message =>
  card({
    headline: formatOrderHeadline(order, details, reader),
    notes: [
      ...describeOutcome(order, details.people),
      ...describeExpiry(order),
      ...(order.state === 'awaiting' && asked !== 'enough' ? [describeAsked(asked)] : []),
      ...describeAnswer(order),
    ],
    ...orderControls(order, details, reader),
  })

/** Whom Signalman could ask for a decision. `some`: only as many as get direct messages. */
export type Asked = 'enough' | 'some' | 'nobody'

const describeAsked = (asked: Exclude<Asked, 'enough'>): string =>
  asked === 'nobody'
    ? `Nobody was notified, because nobody else can approve it, or Slack accepts no direct message to those who can. An admin can add approvers in ${cmd('/hc access')}, or set a channel in ${cmd('/cert-order settings')}.`
    : `At most ${MAX_REACHABLE} approvers are asked in direct messages. To ask everyone, an admin can set an approvals channel in ${cmd('/cert-order settings')}.`

const describeExpiry = ({ state, content }: Order): Line[] =>
  state === 'awaiting' ? [['Without a decision, it expires ', new Date(content.expiresAt), '.']] : []

/**
 * One line about an order's newest step: for the thread of the requester's message, or to remind and alert those who decide, with their
 * buttons. Short, because the card already has the details.
 */
export const noticeView = (order: Order, details: OrderDetails, reader: Reader): Message =>
  card({
    headline:
      order.state === 'awaiting' && reader.canApprove
        ? `Reminder: order ${formatNumber(order)} is still waiting for a decision`
        : formatOrderHeadline(order, details, { ...reader, canApprove: false }),
    notes: [...describeCertificateEnd(order), ...describeCorrection(order.content.outcome, details.people)],
    ...(reader.canApprove && orderControls(order, details, reader)),
  })

/** Once the reminder is due. Signalman doesn't know whether a certificate was issued. */
function describeCertificateEnd({ state, content, receivedAt }: Order): Line[] {
  if (state !== 'received' || content.remindAt !== undefined || !receivedAt) return []
  const end = guessEnd(content.request.duration, receivedAt)
  if (!end) return []
  return [
    [
      '⏰ It was ordered on ',
      receivedAt,
      ` for ${clip(oneLine(content.request.duration), 100)}. If a certificate was issued then, it ends about `,
      end,
      '.',
    ],
  ]
}

export const orderView = (order: Order, details: OrderDetails, reader: Reader): Message =>
  orderCard(order, details, { ...reader, isDetailView: true }, listFacts(order, details))

/**
 * The order for a channel, in which anyone may read: facts only. Names nobody, and leaves out what people wrote and what the service
 * answered. Nobody redraws it, so it has no decision that may have been made meanwhile: that is behind Details.
 */
export const sharedView = (order: Order): Message =>
  guestView(order, [createButton(order, 'Details', writeOrderCommand(order, 'show'))])

export const guestView = (order: Order, controls: readonly Button[] = []): Message =>
  card({
    headline: formatState(order, {}),
    facts: [
      ['Names', listNames(order, MAX_SHORT_LENGTH)],
      ...listSent(order, ['product', 'duration']),
      ['Requested', order.createdAt],
    ],
    controls,
  })

const MAX_VALUE_LENGTH = 300
const MAX_SHORT_LENGTH = 150
const MAX_NAMES_LENGTH = 1500

/** `isRedrawn`: whether the message is edited at each step. */
type CardReader = Reader & { isDetailView?: boolean; isRedrawn?: boolean }

function orderCard(order: Order, details: OrderDetails, reader: CardReader, facts: readonly Fact[]): Message {
  return card({
    headline: formatOrderHeadline(order, details, reader),
    notes: [
      ...describeOutcome(order, details.people),
      ...(order.state === 'awaiting' ? describeReview(order, details) : []),
      ...describeAnswer(order),
    ],
    facts,
    ...orderControls(order, details, reader),
  })
}

const MAX_WARNINGS = 5

function describeReview(order: Order, details: OrderDetails): string[] {
  const notes = [
    ...listReviewNotes(order, details),
    ...formatWarnings(order.content.csr.warnings, MAX_WARNINGS),
  ]
  return notes.length > 0 ? notes : [NOTHING_UNUSUAL]
}

const clipped = (value: string | undefined, max = MAX_VALUE_LENGTH): string | undefined =>
  value && clip(oneLine(value), max)

const listSent = ({ content }: Order, fields?: readonly TextFieldName[]): Fact[] =>
  listFieldValues(content, fields).map(([label, value]): Fact => [label, clipped(value)])

/** Nobody decides on what the service has. */
const listShortFacts = (order: Order, details: OrderDetails): Fact[] => [
  ...(order.state === 'received'
    ? []
    : [
        ['Names', listNames(order, MAX_SHORT_LENGTH)] as const,
        ...listSent(order, ['product', 'certificate', 'organization']),
      ]),
  ...listDecisions(order, details),
]

const listFacts = (order: Order, details: OrderDetails): Fact[] => [
  ['Requested by', [formatPerson(details.people, order.requesterId), ', ', order.createdAt]],
  ...listDecisions(order, details),
  ['Names', listNames(order, MAX_NAMES_LENGTH)],
  ['Subject', clipped(formatSubject(order) || undefined)],
  ['Key', order.content.csr.key],
  ...listSent(order),
]

/** `O=Example, C=CH`: the rest of the subject, because its common name is among the names. */
const formatSubject = ({ content: { csr } }: Order): string =>
  csr.subjectParts.flatMap(({ label, text }) => (label === 'CN' ? [] : `${label}=${text}`)).join(', ')

function listDecisions({ state, content }: Order, { people }: OrderDetails): Fact[] {
  const { approval, outcome } = content
  const by = outcome && 'by' in outcome ? outcome.by : undefined
  return [
    ['Approved by', approval && [formatPerson(people, approval.by), ', ', new Date(approval.at)]],
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
    ['Service order ID', state === 'received' ? undefined : clipped(outcome?.answered?.id)],
    ['Reported by', by && formatPerson(people, by)],
    ['How they know', outcome?.kind === 'failed' ? clipped(outcome.how, 1000) : undefined],
  ]
}

/** The names that fit, one a line, and how many more there are. Undefined if the headline has them all. */
function listNames(order: Order, maxLength: number): string | undefined {
  const names = listCertificateNames(order.content.csr).map(({ text }) => text)
  if (names.length === 0 || names.join() === formatCertificateName(order)) return undefined
  const shown: string[] = []
  let size = 0
  for (const text of names) {
    size += text.length + 1
    if (size > maxLength && shown.length > 0) break
    shown.push(text)
  }
  const remaining = names.length - shown.length
  const shownLines = shown.map((name) => clip(oneLine(name), maxLength))
  return [...shownLines, ...(remaining > 0 ? [`and ${remaining} more`] : [])].join('\n')
}

/** The text of the service's answer; empty if it has none. The API has no call for an order's current status. */
const getAnswer = ({ content: { outcome } }: Order): string => (outcome?.answered?.answer ?? '').trim()

const describeAnswer = (order: Order): string[] =>
  getAnswer(order) === ''
    ? []
    : [
        'The service may still refuse it or ask for more: read its answer, because Signalman doesn’t follow the order from here.',
      ]

/** The buttons for this reader. Decisions are visible; `moreControls` are in the `···` menu. */
function orderControls(
  order: Order,
  details: OrderDetails,
  reader: CardReader,
): { controls: Button[]; moreControls: Button[] } {
  const hasAnswer = getAnswer(order) !== ''
  const file = [
    createButton(order, hasAnswer ? 'Service’s answer' : 'Order as a file', writeOrderCommand(order, 'file')),
  ]
  return {
    controls: [
      ...(reader.canApprove ? decisionButtons(order, reader, hasForeignNames(order, details)) : []),
      ...(reader.isRequester ? requesterButtons(order) : []),
      ...(hasAnswer ? file : []),
    ],
    moreControls: [
      ...(hasAnswer ? [] : file),
      ...(reader.isRequester
        ? [
            commandButton(
              'My orders',
              writeCommand('/cert-order list mine', { environment: order.environment }),
            ),
          ]
        : []),
      ...(reader.isDetailView
        ? [
            commandButton('Refresh', writeOrderCommand(order, 'show'), { inPlace: true }),
            commandButton('Share to channel', `${writeOrderCommand(order, 'show')} --share`),
          ]
        : [createButton(order, 'Details', writeOrderCommand(order, 'show'))]),
    ],
  }
}

const createButton = (
  order: Order,
  label: string,
  line: string,
  options: Omit<Parameters<typeof commandButton>[2], 'accessibilityLabel'> = {},
): Button => commandButton(label, line, { accessibilityLabel: `${label}: order ${order.number}`, ...options })

/** A message that nobody redraws has no green button: the order may have been decided meanwhile. */
function decisionButtons(order: Order, { isRedrawn }: CardReader, isForeign: boolean): Button[] {
  const { state } = order
  if (state === 'awaiting')
    return [
      ...(isForeign
        ? []
        : [
            createButton(order, 'Review and approve', writeOrderCommand(order, 'approve'), {
              ...(isRedrawn && { style: 'primary' }),
            }),
          ]),
      createButton(order, 'Reject', writeOrderCommand(order, 'reject'), { style: 'danger' }),
    ]
  if (state !== 'unknown') return []
  return [
    createButton(order, 'The service has it', writeOrderCommand(order, 'resolve', 'received')),
    createButton(order, 'It failed', writeOrderCommand(order, 'resolve', 'failed')),
  ]
}

function requesterButtons(order: Order): Button[] {
  const { state } = order
  if (state === 'awaiting')
    return [
      createButton(order, 'Withdraw', writeOrderCommand(order, 'withdraw'), {
        confirm: {
          title: `Withdraw order ${formatNumber(order)}?`,
          text: 'Nothing will be ordered. To order it later, you have to request it again.',
          confirm: 'Withdraw',
        },
      }),
    ]
  return ['failed', 'rejected', 'withdrawn', 'expired'].includes(state)
    ? [createButton(order, 'Request again', writeOrderCommand(order, 'again'))]
    : []
}
