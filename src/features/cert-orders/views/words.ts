import { clip, oneLine } from '@signalman/slack'
import { serviceSaid } from '../../../bot/replies/explain.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { type Order, titleOf } from '../order.ts'
import { sharedBy } from '../placed-twice.ts'
import { STATES } from '../refusals.ts'
import type { Names } from '../shown-order.ts'
import { nameIn } from './facts.ts'

const ANSWER = 2000
const TITLE = 100
const CHANGE = 200
const MOST_CHANGES = 10
export const MOST_TWINS = 4

/** That another order for the same key or certificate is placed too, or may be. */
export function alarmWords(order: Order, twins: readonly Order[]): string[] {
  if (twins.length === 0) return []
  const others = twins
    .slice(0, MOST_TWINS)
    .map((twin) => `order ${twin.number}: ${STATES[twin.state].name.toLowerCase()}`)
  const shared = twins.every((twin) => sharedBy(order, twin) === 'key') ? 'key' : 'certificate'
  return [
    `🚨 Order ${order.number} is placed, and so may be another one for the same ${shared}: ${others.join('; ')}. Cancel one of them at the service, or ask its support to; what still waits here, reject.`,
  ]
}

export const orderTitle = (order: Order): string =>
  `Order ${order.number}: ${clip(oneLine(titleOf(order)), TITLE)}${badgeOf(order.environment)}`

export const stateWords = ({ state }: Order): string => `${STATES[state].sign} ${STATES[state].name}`

const WHAT_TO_DO =
  'It was sent once and is never repeated by itself. Look for it in your orders at the service by its names, or ask its support; then say here what you found.'

/** The outcome at the service, and what to do about it. */
export function outcomeWords({ state, content: { outcome } }: Order): string[] {
  if (!outcome) return []
  if (outcome.kind === 'placed') {
    const note = outcome.note ? [outcome.note] : []
    if (outcome.placed.id || outcome.by) return note
    const answer = clip(outcome.placed.answer.trim() || '(nothing)', ANSWER)
    return [
      ...note,
      'The service took the order, but named no order id. How its answer begins stands below, as it came.',
      answer,
    ]
  }
  const said = serviceSaid(outcome.said)
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

/** That the service's own answer came after somebody had said what became of it. */
export function correctedWords({ content: { outcome } }: Order, people: Names): string[] {
  const corrects = outcome && outcome.kind !== 'unknown' ? outcome.corrects : undefined
  if (!corrects) return []
  const said = `✏️ ${oneLine(nameIn(people, corrects.by))} had said that it was ${corrects.said === 'placed' ? 'placed' : 'not placed'}.`
  if (corrects.said === outcome?.kind)
    return [`${said} The service’s own answer has come since, and says so too.`]
  return [
    `${said} The service’s own answer has come since: ${outcome?.kind === 'placed' ? 'it was placed' : 'it was not'}.`,
  ]
}

/** What others made of it, shown to everyone who sees the order. */
export function changeWords({ content: { changes } }: Order, people: Names): string[] {
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

export const warningWords = ({ content: { csr } }: Order): string[] =>
  csr.warnings.map((warning) => `⚠️ Warning: ${warning}`)

export const footer = ({ environment, bodyHash }: Order): string[] => [
  ...(environment === 'ote' ? ['OTE test environment'] : []),
  `Approvals are for exactly this body: ${bodyHash.slice(0, 12)}`,
]
