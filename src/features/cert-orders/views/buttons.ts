import { actions, commandButton } from '@signalman/slack'
import type { ActionsBlock } from '@slack/types'
import { quoted } from '../../../domain/quoting.ts'
import type { Order } from '../order.ts'
import { answerOf } from './answer.ts'

/** What the reader may do with an order, as far as it is known when it is shown; each click is checked again. */
export interface CardReader {
  decides: boolean
  owns: boolean
  /** True where the order is shown because somebody asked: it can be looked at again in the same place. */
  isShown?: boolean
}

/** The steps that an order can take from here, for this reader. */
export function orderButtons(order: Order, { decides, owns, isShown }: CardReader): ActionsBlock[] {
  const { number, state, bodyHash, content } = order
  const step = (label: string, line: string, style?: 'primary' | 'danger') =>
    commandButton(label, line, { spoken: `${label}: order ${number}`, ...(style && { style }) })
  const certificate = content.outcome?.kind === 'placed' ? order.certificateId : undefined
  const isOpen = state === 'awaiting'
  return actions(
    ...(isOpen && decides
      ? [
          step('Approve', `/cert-order approve ${number} ${bodyHash}`, 'primary'),
          step('Edit and approve', `/cert-order edit ${number} ${bodyHash}`),
          step('Reject', `/cert-order reject ${number}`, 'danger'),
        ]
      : []),
    ...(isOpen && owns
      ? [
          commandButton('Withdraw', `/cert-order withdraw ${number}`, {
            spoken: `Withdraw: order ${number}`,
            confirm: {
              title: `Withdraw order ${number}?`,
              text: 'Nothing is ordered then. You can ask for it again.',
              confirm: 'Withdraw',
            },
          }),
        ]
      : []),
    ...(state === 'unknown' && decides
      ? [
          step('It was placed', `/cert-order resolve ${number} placed`),
          step('It was not placed', `/cert-order resolve ${number} failed`),
          step('Place it again', `/cert-order resolve ${number} again`),
        ]
      : []),
    ...(['failed', 'rejected', 'withdrawn', 'expired'].includes(state) && owns
      ? [step('Ask again', `/cert-order again ${number}`)]
      : []),
    ...(certificate !== undefined && owns && /^[\x21-\x7e]+$/.test(certificate)
      ? [
          step('Renew', `/cert-order renew ${quoted(certificate)} --env ${order.environment}`),
          step('Reissue', `/cert-order reissue ${quoted(certificate)} --env ${order.environment}`),
        ]
      : []),
    commandButton(
      content.csr.names.length === 1 ? 'Request' : `Request: all ${content.csr.names.length} names`,
      `/cert-order csr ${number}`,
      { spoken: `The whole request of order ${number}` },
    ),
    ...(answerOf(order) === undefined ? [] : [step('Answer', `/cert-order answer ${number}`)]),
    ...(isShown
      ? [
          commandButton('Refresh', `/cert-order show ${number}`, { inPlace: true }),
          commandButton('Share to channel', `/cert-order show ${number} --share`),
        ]
      : [step('Show', `/cert-order show ${number}`)]),
  )
}
