import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import type { Order } from '../order.ts'
import { STATES } from '../refusals.ts'
import { orderButtons } from './buttons.ts'
import type { Names } from './facts.ts'
import { alarmWords, correctedWords, MOST_TWINS, orderTitle, outcomeWords } from './words.ts'

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
