import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import { quoted } from '../../../domain/quoting.ts'
import type { Order } from '../rules/order.ts'
import { findRawAnswer } from './answer.ts'
import type { Reader } from './words.ts'

/** What the reader may do, as known when the card is posted. Each click is checked again. */
export interface CardReader extends Reader {
  /** True if the reader asked to see the order, so it can be refreshed in place. */
  isShown?: boolean
}

/** The buttons for the steps that this reader can take: the most likely first, the others behind `···`. */
export function orderControls(order: Order, reader: CardReader): { controls: Button[]; more: Button[] } {
  const { number } = order
  const step = createStepButton(order)
  const controls = [
    ...(reader.decides ? decisionButtons(order, reader) : []),
    ...(reader.owns ? requesterButtons(order) : []),
  ]
  const more = [
    step('Certificate request', `/cert-order csr ${number}`),
    step('All as a file', `/cert-order file ${number}`),
    ...(findRawAnswer(order) === undefined
      ? []
      : [step('Answer of the service', `/cert-order answer ${number}`)]),
    ...(reader.isShown
      ? [
          commandButton('Refresh', `/cert-order show ${number}`, { inPlace: true }),
          commandButton('Share to channel', `/cert-order show ${number} --share`),
        ]
      : [step('Details', `/cert-order show ${number}`)]),
  ]
  // Doesn't repeat a visible button behind `···`.
  return { controls, more: more.filter(({ value }) => !controls.some((control) => control.value === value)) }
}

const createStepButton =
  ({ number }: Order) =>
  (label: string, line: string, style?: 'danger'): Button =>
    commandButton(label, line, { spoken: `${label}: order ${number}`, ...(style && { style }) })

function decisionButtons(order: Order, { hasApproved = false }: CardReader): Button[] {
  const { number, state, bodyHash } = order
  const step = createStepButton(order)
  if (state === 'awaiting')
    return [
      ...(hasApproved ? [] : [step('Review and approve', `/cert-order approve ${number} ${bodyHash}`)]),
      step('Reject', `/cert-order reject ${number}`, 'danger'),
    ]
  if (state !== 'unknown') return []
  return [
    step('It was placed', `/cert-order resolve ${number} placed`),
    step('It was not placed', `/cert-order resolve ${number} failed`),
  ]
}

const WITHDRAWAL = 'Nothing will be ordered. You can request it again.'

function requesterButtons(order: Order): Button[] {
  const { number, state, environment, certificateId = '' } = order
  const step = createStepButton(order)
  if (state === 'awaiting') {
    const confirm = { title: `Withdraw order ${number}?`, text: WITHDRAWAL, confirm: 'Withdraw' }
    const spoken = `Withdraw: order ${number}`
    return [commandButton('Withdraw', `/cert-order withdraw ${number}`, { spoken, confirm })]
  }
  if (['failed', 'rejected', 'withdrawn', 'expired'].includes(state))
    return [step('Request again', `/cert-order again ${number}`)]
  const answerButton =
    state === 'placed' && findRawAnswer(order) !== undefined
      ? [step('How', `/cert-order answer ${number}`)]
      : []
  if (state !== 'placed' || !/^[\x21-\x7e]+$/.test(certificateId)) return answerButton
  const line = (action: string) => `/cert-order ${action} ${quoted(certificateId)} --env ${environment}`
  return [step('Renew', line('renew')), step('Reissue', line('reissue'))]
}
