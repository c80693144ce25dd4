import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import type { Order } from '../order.ts'
import { orderButtons } from './buttons.ts'
import { alarmWords, MOST_TWINS, orderTitle, outcomeWords } from './words.ts'

/** For those who can approve, when something needs them again: short, since the card stands above. */
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
