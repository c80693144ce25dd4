import type { KnownBlock } from '@slack/types'
import { context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { type Fact, factLines, facts } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { type Order, titleOf } from '../order.ts'
import type { OrderPolicy } from '../policy.ts'
import { STATES } from '../refusals.ts'
import { type CardReader, orderButtons } from './buttons.ts'
import { type Names, nameIn, sentFacts, standingFacts } from './facts.ts'

interface Shown {
  policy: OrderPolicy
  people: Names
}

const ANSWER = 2000
const TITLE = 100
const CHANGE = 200
const MOST_CHANGES = 10

/** The card that those who can approve see, drawn again at each step. */
export const cardView = (order: Order, shown: Shown): Message =>
  orderMessage(order, shown, { decides: true, owns: false })

/** What the requester reads in their direct messages. */
export function noticeView(order: Order, { isLonely, ...shown }: Shown & { isLonely: boolean }): Message {
  const lead = [
    `Your order ${order.number}: ${STATES[order.state].name.toLowerCase()}.`,
    ...(isLonely && order.state === 'awaiting'
      ? [
          'Nobody in particular was asked: whoever has the role approver finds it in App Home and with /cert-order list. An admin gives that role with /hc access.',
        ]
      : []),
  ]
  return orderMessage(order, shown, { decides: false, owns: true }, lead.join(' '))
}

/** For those who can approve, when something needs them anew: short, since the card stands above. */
export function alertView(order: Order): Message {
  const lead =
    order.state === 'unknown'
      ? `Order ${order.number} needs a look: nobody knows whether it was placed.`
      : `Reminder: order ${order.number} still waits for a decision.`
  const words = [orderTitle(order), ...outcomeWords(order)]
  return message(
    literal([lead, ...words].join('\n')),
    section(lead),
    words.map((part) => section(part)),
    orderButtons(order, { decides: true, owns: false }),
  )
}

/** An order in full; `lead` says what just happened. */
export const shownView = (order: Order, shown: Shown, reader: CardReader, lead?: string): Message =>
  orderMessage(order, shown, { ...reader, isShown: true }, lead)

/** What an order says, without its steps: for the window in which somebody decides on it. */
export function orderBlocks(order: Order, { policy, people }: Shown): KnownBlock[] {
  return [
    section(stateWords(order)),
    facts(standingFacts(order, policy, people)),
    ...changeWords(order, people).map((words) => section(words)),
    facts(sentFacts(order.content)),
    ...warningWords(order).map((words) => section(words)),
    context(...footer(order)),
  ]
}

export const orderTitle = (order: Order): string =>
  `Order ${order.number}: ${clip(oneLine(titleOf(order)), TITLE)}${order.environment === 'ote' ? ' (OTE)' : ''}`

function orderMessage(order: Order, shown: Shown, reader: CardReader, lead?: string): Message {
  const { policy, people } = shown
  const happened = outcomeWords(order)
  const standing: Fact[] = standingFacts(order, policy, people)
  const sent = sentFacts(order.content)
  const changes = changeWords(order, people)
  const warnings = warningWords(order)
  return message(
    literal(
      [
        ...(lead ? [lead] : []),
        `${orderTitle(order)} – ${STATES[order.state].name}`,
        ...happened,
        factLines(standing),
        ...changes,
        factLines(sent),
        ...warnings,
        ...footer(order),
      ].join('\n'),
    ),
    lead ? [section(lead)] : [],
    header(orderTitle(order)),
    section(stateWords(order)),
    happened.map((words) => section(words)),
    facts(standing),
    changes.map((words) => section(words)),
    facts(sent),
    warnings.map((words) => section(words)),
    orderButtons(order, reader),
    context(...footer(order)),
  )
}

const stateWords = ({ state }: Order): string => `${STATES[state].sign} ${STATES[state].name}`

const WHAT_TO_DO =
  'It was sent once and is never repeated by itself. Look for it in your orders at the service by its names, or ask its support; then say here what you found.'

/** The outcome at the service, and what to do about it. */
function outcomeWords({ state, content: { outcome } }: Order): string[] {
  if (!outcome) return []
  if (outcome.kind === 'placed') {
    const note = outcome.note ? [outcome.note] : []
    if (outcome.placed.id || outcome.by) return note
    const answer = clip(outcome.placed.answer.trim() || '(nothing)', ANSWER)
    return [
      ...note,
      'The service took the order, but named no order id. What it answered stands below, as it came.',
      answer,
    ]
  }
  const said = outcome.said.map((sentence) => `The service said: “${sentence}”`)
  const isOpen = state === 'unknown'
  return [
    [
      isOpen ? 'The order may have been placed.' : 'The order was not placed.',
      outcome.why,
      ...said,
      ...(isOpen ? [WHAT_TO_DO] : []),
    ].join('\n'),
  ]
}

/** What others made of it, shown to everyone who sees the order. */
function changeWords({ content: { changes } }: Order, people: Names): string[] {
  const shown = changes.slice(-MOST_CHANGES)
  const words = shown.map(({ by, fields }) => {
    const lines = fields.map(
      ({ label, before, after }) =>
        `${label}: ${clip(oneLine(before) || '(empty)', CHANGE)} → ${clip(oneLine(after) || '(empty)', CHANGE)}`,
    )
    return [`✏️ Changed by ${oneLine(nameIn(people, by))}:`, ...lines].join('\n')
  })
  const left = changes.length - shown.length
  return left > 0 ? [`${left} earlier changes are left out.`, ...words] : words
}

const warningWords = ({ content: { csr } }: Order): string[] =>
  csr.warnings.map((warning) => `⚠️ Warning: ${warning}`)

const footer = ({ environment, bodyHash }: Order): string[] => [
  ...(environment === 'ote' ? ['OTE test environment'] : []),
  `Approvals are for exactly this body: ${bodyHash.slice(0, 12)}`,
]
