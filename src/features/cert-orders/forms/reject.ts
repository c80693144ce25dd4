import { FieldErrors } from '@signalman/runtime'
import { section, textInput } from '@signalman/slack'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { type Order, titleOf } from '../order.ts'
import type { FormParts } from './order.ts'
import { leaksIn } from './read-order.ts'

const REJECT_FORM = 'cert-orders.reject'

export const LONGEST_REASON = 1000

export const rejectModal = (order: Order): Modal => ({
  title: `Reject order ${order.number}`,
  form: { id: REJECT_FORM, submit: 'Reject' },
  about: { number: order.number },
  blocks: [
    section(`${titleOf(order)}\nNothing is ordered then. The requester reads your reason.`),
    textInput('reason', 'Reason', { multiline: true, max: LONGEST_REASON }),
  ],
})

export const rejectForm = ({ service, show }: FormParts): Form<string, { number: number }> => ({
  id: REJECT_FORM,
  verb: '/cert-order reject',
  needs: 'approver',
  working: 'Rejecting…',
  read(answers) {
    const leaks = leaksIn(answers, ['reason'])
    if (leaks.reason) throw new FieldErrors(leaks)
    const reason = answers.text('reason')
    if (!reason) throw new FieldErrors({ reason: 'Say why: the requester has nothing else to go by.' })
    return reason
  },
  submit: async (context, reason, { number }) => show(context, await service.reject(context, number, reason)),
})
