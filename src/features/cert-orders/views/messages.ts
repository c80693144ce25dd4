import {
  actions,
  commandButton,
  context,
  type Fact,
  factLines,
  facts,
  header,
  literal,
  type Message,
  message,
  section,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Order } from '../order.ts'
import { STATES } from '../refusals.ts'
import { type Names, NOTHING_EARLIER, type Shown } from '../shown-order.ts'
import { AS_ANSWERED, answerOf, RECORDS, recordBlocks, recordLines } from './answer.ts'
import { type CardReader, orderButtons } from './buttons.ts'
import { comparisonWords } from './comparison.ts'
import { sentFacts, standingFacts } from './facts.ts'
import { extensionLines, lineBlocks, noteLines, verdictOf, wholeLines } from './request.ts'
import {
  alarmWords,
  changeWords,
  correctedWords,
  footer,
  MOST_TWINS,
  orderTitle,
  outcomeWords,
  stateWords,
  warningWords,
} from './words.ts'

const REQUESTED = 'Requested extensions'

/** The card that those who can approve see, drawn again at each step. */
export const cardView = (order: Order, shown: Shown): Message =>
  orderMessage(order, shown, { decides: true, owns: false })

/** Who was asked to decide: people who can, only the approvals channel, or neither. */
export type WhoIsAsked = 'people' | 'channel' | 'nobody'

const ASKED: Readonly<Record<Exclude<WhoIsAsked, 'people'>, string>> = {
  channel: 'The approvals channel was asked: whoever has the role approver finds it there,',
  nobody: 'Nobody in particular was asked: whoever has the role approver finds it',
}

/** What the requester reads in their direct messages. */
export function noticeView(order: Order, { asked, ...shown }: Shown & { asked: WhoIsAsked }): Message {
  const lead = [
    `Your order ${order.number}: ${STATES[order.state].name.toLowerCase()}.`,
    ...(asked !== 'people' && order.state === 'awaiting'
      ? [`${ASKED[asked]} in App Home and with /cert-order list. An admin gives that role with /hc access.`]
      : []),
  ]
  return orderMessage(order, shown, { decides: false, owns: true }, lead.join(' '))
}

/** An order in full; `lead` says what just happened. */
export const shownView = (order: Order, shown: Shown, reader: CardReader, lead?: string): Message =>
  orderMessage(order, shown, { ...reader, isShown: true }, lead)

/** What an order says, without its steps: for the window in which somebody decides on it. */
export function orderBlocks(
  order: Order,
  { policy, people, comparison = NOTHING_EARLIER }: Shown,
): KnownBlock[] {
  return [
    section(stateWords(order)),
    section(verdictOf(order.content.csr)),
    ...listBlocks('Why', noteLines(order.content.csr)),
    ...comparisonWords(order, comparison).map((words) => section(words)),
    facts(standingFacts(order, policy, people)),
    ...changeWords(order, people).map((words) => section(words)),
    facts(sentFacts(order.content)),
    ...warningWords(order).map((words) => section(words)),
    ...wholeRequest(order),
    context(...footer(order)),
  ]
}

/** All that the request asks for, as far as a window can hold it: more than any request has but for very odd ones. */
function wholeRequest({ number, content: { csr } }: Order): KnownBlock[] {
  const whole = wholeLines(csr)
  if (whole.total === 0) return []
  const { blocks, left } = lineBlocks(whole.between(0, MOST_IN_WINDOW), WINDOW_BLOCKS)
  const behind = left + Math.max(whole.total - MOST_IN_WINDOW, 0)
  return [
    section(`All that it asks for: ${whole.total}`),
    ...blocks,
    ...(behind > 0
      ? [section(`${behind} more: /cert-order csr ${number} --from ${whole.total - behind + 1}`)]
      : []),
  ]
}

const MOST_IN_WINDOW = 2000
const WINDOW_BLOCKS = 30

const listBlocks = (label: string, lines: readonly string[]): KnownBlock[] =>
  lines.length > 0 ? [facts([[label, lines.join('\n')]])] : []

function orderMessage(order: Order, shown: Shown, reader: CardReader, lead?: string): Message {
  const { policy, people } = shown
  const happened = [
    ...alarmWords(order, shown.twins ?? []),
    ...correctedWords(order, people),
    ...outcomeWords(order),
  ]
  const standing: Fact[] = standingFacts(order, policy, people)
  const sent = sentFacts(order.content)
  const changes = changeWords(order, people)
  const warnings = warningWords(order)
  const verdict = verdictOf(order.content.csr)
  const notes = noteLines(order.content.csr)
  const extensions = extensionLines(order.content.csr)
  const compared = comparisonWords(order, shown.comparison ?? NOTHING_EARLIER)
  const records = recordLines(order)
  const asked = answerOf(order) === undefined ? [] : [AS_ANSWERED]
  return message(
    literal(
      [
        ...(lead ? [lead] : []),
        `${orderTitle(order)} – ${STATES[order.state].name}`,
        ...happened,
        ...(records.length > 0 ? [RECORDS, ...records] : []),
        verdict,
        ...notes,
        ...compared,
        factLines(standing),
        ...changes,
        factLines(sent),
        ...(extensions.length > 0 ? [REQUESTED, ...extensions] : []),
        ...warnings,
        ...asked,
        ...footer(order),
      ].join('\n'),
    ),
    lead ? [section(lead)] : [],
    header(orderTitle(order)),
    section(stateWords(order)),
    happened.map((words) => section(words)),
    recordBlocks(records),
    section(verdict),
    listBlocks('Why', notes),
    compared.map((words) => section(words)),
    facts(standing),
    changes.map((words) => section(words)),
    facts(sent),
    listBlocks(REQUESTED, extensions),
    warnings.map((words) => section(words)),
    orderButtons(order, reader),
    context(...asked, ...footer(order)),
  )
}

/** For those who can approve, when something needs them again: short, since the card stands above. */
export function alertView(order: Order, people: Names): Message {
  const corrected = correctedWords(order, people)
  const lead =
    order.state === 'unknown'
      ? `Order ${order.number} needs a look: nobody knows whether it was placed.`
      : corrected.length > 0
        ? `The service has answered to order ${order.number} after all: ${STATES[order.state].name.toLowerCase()}.`
        : `Reminder: order ${order.number} still waits for a decision.`
  const words = [orderTitle(order), ...corrected, ...outcomeWords(order)]
  return message(
    literal([lead, ...words].join('\n')),
    section(lead),
    words.map((part) => section(part)),
    orderButtons(order, { decides: true, owns: false }),
  )
}

/** When two orders for one certificate are placed, or the second may be: for those who decide, and whoever asked. */
export function alarmView(order: Order, twins: readonly Order[]): Message {
  const words = alarmWords(order, twins)
  return message(
    literal(words.join('\n')),
    words.map((part) => section(part)),
    actions(
      ...[order, ...twins.slice(0, MOST_TWINS)].map(({ number }) =>
        commandButton(`Show order ${number}`, `/cert-order show ${number}`),
      ),
    ),
  )
}
