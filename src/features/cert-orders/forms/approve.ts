import { UserError } from '@signalman/runtime'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { refuseUnlessApprovable } from '../order-service.ts'
import { readOrderDetails } from '../read-details.ts'
import type { Order } from '../rules/order.ts'
import { buildApproval } from '../views/approval.ts'
import { showOutcome } from './decisions.ts'

/** Approves exactly the body that the window showed. */
export const approveForm = form({
  id: 'cert-orders.approve',
  title: 'Approve order',
  button: 'Approve',
  verb: '/cert-order approve',
  needs: 'approver',
  showsOteLabel: true,
  workingText: 'Approving… The result will appear here.',
  content: (_, { number, bodyHash: hash }: Order, blocks: readonly KnownBlock[]) => ({
    title: `Approve order ${number}`,
    formState: { number, hash },
    blocks: [[...blocks]],
  }),
  submit: async (
    context,
    _,
    { number, hash }: { number: number; hash: string },
    { service, renderOutcome }: CertOrderDeps,
  ): Promise<Modal> => showOutcome(context, await service.approve(context, number, hash), renderOutcome),
})

/** The approval window of their own order for somebody who just requested it; undefined if they can't approve it. */
export async function openOwnApproval(
  deps: CertOrderDeps,
  context: CommandContext,
  order: Order,
): Promise<Modal | undefined> {
  if (!(await context.hasRole(context.userId, 'approver'))) return undefined
  try {
    return await openApproval(deps, context, order)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

/** The approval window. Throws UserError if this person can't approve the order. */
export async function openApproval(
  deps: CertOrderDeps,
  context: CommandContext,
  order: Order,
): Promise<Modal> {
  await refuseUnlessApprovable(deps, order, context)
  const blocks = buildApproval(order, await readOrderDetails(deps, order))
  // The form refuses such a request, so only an order of an earlier version can be one.
  if (!blocks) throw new UserError(`Order ${order.number} is too long for one window. Reject it.`)
  return approveForm.open(order.environment, order, blocks)
}
