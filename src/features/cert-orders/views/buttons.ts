import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import { quoted } from '../../../domain/quoting.ts'
import type { Order } from '../rules/order.ts'
import { findRawAnswer } from './answer.ts'
import type { Reader } from './words.ts'

/** The reader's rights when the card was posted. Each click is checked again. */
export interface CardReader extends Reader {
  /** Whether the reader opened the order with a command, so that it can be refreshed in place. */
  isDetailView?: boolean
}

/** The buttons for this reader. Decisions are visible; `moreControls` are in the `···` menu. */
export function orderControls(
  order: Order,
  reader: CardReader,
): { controls: Button[]; moreControls: Button[] } {
  const { number } = order
  const controls = [
    ...(reader.canApprove ? decisionButtons(order, reader) : []),
    ...(reader.isRequester ? requesterButtons(order) : []),
  ]
  const moreControls = [
    createButton(order, 'Certificate request', `/cert-order csr ${number}`),
    createButton(order, 'All as a file', `/cert-order file ${number}`),
    ...(findRawAnswer(order) === undefined
      ? []
      : [createButton(order, 'The service’s answer', `/cert-order answer ${number}`)]),
    ...(reader.canApprove && order.state === 'received'
      ? [createButton(order, 'It failed', `/cert-order resolve ${number} failed`)]
      : []),
    ...(reader.isDetailView
      ? [
          commandButton('Refresh', `/cert-order show ${number}`, { inPlace: true }),
          commandButton('Share to channel', `/cert-order show ${number} --share`),
        ]
      : [createButton(order, 'Details', `/cert-order show ${number}`)]),
  ]
  // Leaves out of the menu what is already a visible button.
  return {
    controls,
    moreControls: moreControls.filter(({ value }) => !controls.some((control) => control.value === value)),
  }
}

/** The buttons under an order in a channel. */
export const sharedControls = (order: Order): Button[] => [
  ...decisionButtons(order, {}),
  createButton(order, 'Details', `/cert-order show ${order.number}`),
]

const createButton = ({ number }: Order, label: string, line: string, style?: 'danger'): Button =>
  commandButton(label, line, { accessibilityLabel: `${label}: order ${number}`, ...(style && { style }) })

function decisionButtons(order: Order, { hasApproved = false }: CardReader): Button[] {
  const { number, state, bodyHash } = order
  if (state === 'awaiting')
    return [
      ...(hasApproved
        ? []
        : [createButton(order, 'Review and approve', `/cert-order approve ${number} ${quoted(bodyHash)}`)]),
      createButton(order, 'Reject', `/cert-order reject ${number}`, 'danger'),
    ]
  if (state !== 'unknown') return []
  return [
    createButton(order, 'The service has it', `/cert-order resolve ${number} received`),
    createButton(order, 'It failed', `/cert-order resolve ${number} failed`),
  ]
}

const WITHDRAWAL = 'Nothing will be ordered. You can request it again.'

function requesterButtons(order: Order): Button[] {
  const { number, state } = order
  if (state === 'awaiting') {
    const confirm = { title: `Withdraw order ${number}?`, text: WITHDRAWAL, confirm: 'Withdraw' }
    const accessibilityLabel = `Withdraw: order ${number}`
    return [
      commandButton('Withdraw', `/cert-order withdraw ${number}`, { accessibilityLabel, confirm }),
    ]
  }
  if (['failed', 'rejected', 'withdrawn', 'expired'].includes(state))
    return [createButton(order, 'Request again', `/cert-order again ${number}`)]
  if (state !== 'received') return []
  return [
    ...(findRawAnswer(order) === undefined
      ? []
      : [createButton(order, 'Show answer', `/cert-order answer ${number}`)]),
  ]
}
