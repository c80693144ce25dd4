import { FieldErrors } from '@signalman/runtime'
import { type Answers, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { mayBeInFlight } from '../rules/lifecycle.ts'
import type { Order } from '../rules/order.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import { formatOrderName } from '../views/words.ts'
import { findPrivateKeys } from './parse-order-form.ts'

const MAX_REASON = 1000

export const rejectForm = form({
  id: 'cert-orders.reject',
  title: 'Reject order',
  button: 'Reject',
  verb: '/cert-order reject',
  needs: 'approver',
  showsOteLabel: true,
  workingText: 'Rejecting…',
  content: (_, order: Order, initial?: string) => ({
    title: `Reject order ${order.number}`,
    formState: { number: order.number },
    blocks: [
      section(`${formatOrderName(order)}\nNothing will be ordered. The requester will see your reason.`),
      textInput('reason', 'Reason', { initial, multiline: true, max: MAX_REASON }),
    ],
  }),
  read(answers) {
    const leaks = findPrivateKeys(answers, ['reason'])
    if (leaks.reason) throw new FieldErrors(leaks)
    const reason = answers.text('reason')
    if (!reason) throw new FieldErrors({ reason: 'Enter a reason. The requester will see it.' })
    return reason
  },
  submit: async (
    request,
    reason,
    { number }: { number: number },
    { renderOutcome, service }: CertOrderDeps,
  ) => showOutcome(request, await service.reject(request, number, reason), renderOutcome),
})

/** A window with what became of the order, instead of the form. */
export async function showOutcome(
  request: CommandContext,
  order: Order,
  renderOutcome: CertOrderDeps['renderOutcome'],
): Promise<Modal> {
  const answer = await renderOutcome(request, order)
  return { title: STATE_TEXTS[order.state].name, blocks: answer.blocks, fallbackMessage: answer }
}

/** What a person found out about a sent order. */
export const FINDINGS = { received: 'received', failed: 'failed' } as const
type Finding = keyof typeof FINDINGS

const FINDING_TEXTS: Readonly<Record<Finding, { button: string; describe(again: string): string }>> = {
  received: {
    button: 'The service has it',
    describe: () => 'You found the order at the service. Enter its ID if you have it.',
  },
  failed: {
    button: 'It failed',
    describe: (again) =>
      `You looked at the service, and the order isn’t there, or it has ended without a certificate. The order will be marked as failed, and can then be requested again with ${again}.`,
  },
}

const SENDER_SILENT =
  'The process that sent it isn’t responding, so its request may still reach the service. Approvers and the requester read what you write.'

interface ResolveFormState {
  number: number
  finding: Finding
  /** Whether the person must say how they know it. */
  mustExplain: boolean
}

export const resolveForm = form({
  id: 'cert-orders.resolve',
  title: 'Order',
  button: 'Save',
  verb: '/cert-order resolve',
  needs: 'approver',
  showsOteLabel: true,
  workingText: 'Recording what you found…',
  content(_, order: Order, { finding, again }: { finding: Finding; again: string }) {
    const { button, describe } = FINDING_TEXTS[finding]
    const mustExplain = finding !== 'received' && mayBeInFlight(order)
    return {
      title: `Order ${order.number}`,
      button,
      formState: { number: order.number, finding, mustExplain },
      blocks: [
        section(`${formatOrderName(order)}\n${describe(again)}`),
        mustExplain ? [section(SENDER_SILENT), HOW_INPUT] : [],
        finding === 'received' ? [ID_INPUT] : [],
      ],
    }
  },
  read: readFinding,
  async submit(
    request,
    { how, id },
    { number, finding, mustExplain }: ResolveFormState,
    deps: CertOrderDeps,
  ) {
    const { service, renderOutcome } = deps
    if (mustExplain && !how)
      throw new FieldErrors({ how: 'Say how you know. This is recorded with the order.' })
    const by = request.userId
    const outcome =
      finding === 'received'
        ? { kind: 'received' as const, answered: { id, answer: '' }, by }
        : { kind: 'failed' as const, why: ENDED_AT_SERVICE, said: [], by, ...(how && { how }) }
    return showOutcome(request, await service.resolve(request, number, outcome), renderOutcome)
  },
})

const HOW_INPUT = textInput('how', 'How do you know that the request isn’t still in progress?', {
  multiline: true,
  max: MAX_REASON,
  placeholder: 'The machine that sent it was switched off, and support can’t find the order.',
})
const ID_INPUT = textInput('order', 'Order ID at the service', { optional: true, max: 255 })
const ENDED_AT_SERVICE =
  'Someone looked at the service and recorded that the order isn’t there or has ended without a certificate.'

function readFinding(answers: Answers) {
  const errors = findPrivateKeys(answers, ['order', 'how'])
  const readId = (field: string): string | undefined => {
    const text = answers.text(field)
    if (text && !errors[field] && !/^[\x21-\x7e]{1,255}$/.test(text))
      errors[field] = 'Enter one ID without spaces.'
    return text
  }
  const finding = { id: readId('order'), how: answers.text('how') }
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return finding
}
