import { section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { type Order, titleOf } from '../order.ts'
import { orderBlocks, type Shown } from '../views/messages.ts'
import type { FormParts } from './order.ts'

const APPROVE_FORM = 'cert-orders.approve'

interface DecisionAbout {
  number: number
  /** The body that was shown. */
  hash: string
}

export function approveModal(order: Order, shown: Shown): Modal {
  const about: DecisionAbout = { number: order.number, hash: order.bodyHash }
  const left = shown.policy.approvals - order.content.approvals.length
  const what =
    left > 1
      ? 'Your approval is one of several that it needs.'
      : 'With your approval the order is placed at once. It is sent once and never repeated by itself.'
  return {
    title: `Approve order ${order.number}`,
    form: { id: APPROVE_FORM, submit: 'Approve' },
    about,
    blocks: [section(`${titleOf(order)}\n${what}`), orderBlocks(order, shown)],
  }
}

export const approveForm = ({ service, show }: FormParts): Form<undefined, DecisionAbout> => ({
  id: APPROVE_FORM,
  verb: '/cert-order approve',
  needs: 'approver',
  working: 'Approving… This window shows what becomes of the order.',
  read: () => undefined,
  submit: async (context, _, { number, hash }) => show(context, await service.approve(context, number, hash)),
})
