import { oneLine, section } from '@signalman/slack'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { neededApprovals } from '../lifecycle.ts'
import { type Order, titleOf } from '../order.ts'
import { nameIn } from '../views/facts.ts'
import { orderBlocks, type Shown } from '../views/messages.ts'
import type { FormParts } from './order.ts'

const APPROVE_FORM = 'cert-orders.approve'

interface DecisionAbout {
  number: number
  /** The body that was shown. */
  hash: string
}

/** `approved` is the order as this approval would make it. */
export function approveModal(order: Order, approved: Order, shown: Shown): Modal {
  const about: DecisionAbout = { number: order.number, hash: order.bodyHash }
  const what = [...lostApprovals(order, approved, shown), whatItDoes(approved, shown)].join('\n')
  return {
    title: `Approve order ${order.number}`,
    form: { id: APPROVE_FORM, submit: 'Approve' },
    about,
    blocks: [section(`${titleOf(order)}\n${what}`), orderBlocks(order, shown)],
  }
}

function whatItDoes({ state, content }: Order, { policy }: Shown): string {
  if (state === 'submitting')
    return 'With your approval the order is placed at once. It is sent once and never repeated by itself.'
  const { length } = content.approvals
  const needed = neededApprovals(content, policy)
  return `With your approval the order has ${length} of the ${needed} that it needs, and waits for ${needed - length} more.`
}

/** Earlier approvals that stand on the order and do not count, under the rules and with the roles of now. */
function lostApprovals(order: Order, approved: Order, { people }: Shown): string[] {
  const counted = new Set(approved.content.approvals.map(({ by }) => by))
  const lost = order.content.approvals.filter(({ by }) => !counted.has(by))
  if (lost.length === 0) return []
  const names = lost.map(({ by }) => oneLine(nameIn(people, by))).join(', ')
  return [`What was approved earlier by somebody who may not approve it any more does not count: ${names}.`]
}

export const approveForm = ({ service, show }: FormParts): Form<undefined, DecisionAbout> => ({
  id: APPROVE_FORM,
  verb: '/cert-order approve',
  needs: 'approver',
  working: 'Approving… This window shows what becomes of the order.',
  read: () => undefined,
  submit: async (context, _, { number, hash }) => show(context, await service.approve(context, number, hash)),
})
