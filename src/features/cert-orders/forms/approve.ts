import { UserError } from '@signalman/runtime'
import { actions, commandButton, context, expandedSection, pageButton } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import { type LookUpName, readOrderDetails } from '../read-order-details.ts'
import type { Order } from '../rules/order.ts'
import { NO_COMPARISON, type OrderDetails } from '../rules/order-details.ts'
import { createRefusalError } from '../rules/refusals.ts'
import { findOrderOrThrow, previewStep, type RuleDeps } from '../transition-order.ts'
import { buildApproval, describeEffect } from '../views/approval.ts'
import type { FormDeps } from './order.ts'

/** The page that the window shows, and how far the approver has read. */
interface ApprovalFormState {
  number: number
  hash: string
  /** The related orders that the window showed. */
  saw: string
  page: number
  pages: number
  /** The last page that was open. Pages can only be opened in order. */
  read: number
}

export type ApproveDeps = FormDeps & RuleDeps & { lookUpName: LookUpName }

/** Approves exactly the body that the window showed, after every page was open. */
export const approveForm = form({
  id: 'cert-orders.approve',
  title: 'Approve order',
  button: 'Approve',
  verb: '/cert-order approve',
  needs: 'approver',
  workingText: 'Approving… The result will appear here.',
  showsOteLabel: true,
  /** `orderAfter`: the order as it would be after this approval. */
  content(
    _,
    order: Order,
    orderAfter: Order,
    details: OrderDetails,
    position: { page: number; read: number; isRequester: boolean },
  ) {
    const { number, bodyHash: hash } = order
    const { head, pages } = buildApproval(order, orderAfter, details)
    const page = Math.min(position.page, pages.length)
    const formState: ApprovalFormState = {
      number,
      hash,
      saw: (details.comparison ?? NO_COMPARISON).saw,
      page,
      pages: pages.length,
      read: Math.min(Math.max(position.read, page), pages.length),
    }
    const isLast = page === pages.length
    const positionText = pages.length > 1 ? `Page ${page} of ${pages.length}. ` : ''
    return {
      title: `Approve order ${number}`,
      button: isLast ? 'Approve' : false,
      formState,
      blocks: [
        page === 1 ? head : [],
        (pages[page - 1] ?? []).map(expandedSection),
        context(
          isLast
            ? `${positionText}${describeEffect(orderAfter, details)} Fingerprint: ${hash.slice(0, 12)}`
            : `${positionText}Approve is on the last page.`,
        ),
        actions(
          // In the body rather than next to Approve, because a double click must not approve.
          ...(isLast ? [] : [pageButton('Next page', 'next', { style: 'primary' })]),
          ...(page > 1 ? [pageButton('Previous page', 'previous')] : []),
          ...(position.isRequester ? [] : [commandButton('Ask', `/cert-order ask ${number}`)]),
          commandButton('All as a file', `/cert-order file ${number}`, { inPlace: false }),
          commandButton('Reject', `/cert-order reject ${number}`, { inPlace: true, style: 'danger' }),
        ),
      ],
    }
  },
  async turnPage(
    context,
    { number, hash, saw, page, read }: ApprovalFormState,
    to: string,
    deps: ApproveDeps,
  ): Promise<Modal> {
    const order = await findOrderOrThrow(deps, context.workspaceId, number)
    if (order.bodyHash !== hash) throw createRefusalError(order, 'changed')
    const next = to === 'previous' ? Math.max(1, page - 1) : Math.min(page + 1, read + 1)
    return openApproval(deps, context, order, { page: next, read, saw })
  },
  async submit(context, _, { number, hash, saw, page, pages, read }: ApprovalFormState, deps: ApproveDeps) {
    if (page !== pages || read !== pages)
      throw new UserError(`Read all ${pages} pages of order ${number}, then approve it on the last one.`)
    const order = await deps.service.approve(context, number, { hash, saw }, `${read} of ${pages} pages`)
    return deps.renderForUser(context, order)
  },
})

/** The approval window. Throws UserError if this person can't approve the order or the policy doesn't allow it. */
export async function openApproval(
  deps: ApproveDeps,
  context: CommandContext,
  order: Order,
  position: { page: number; read: number; saw?: string } = { page: 1, read: 0 },
): Promise<Modal> {
  const [orderAfter, details] = await Promise.all([
    previewStep(deps, context, order, 'approve'),
    readOrderDetails(deps, order),
  ])
  // Later pages don't show the related orders, so the approver has to start again.
  if (position.saw !== undefined && position.saw !== details.comparison.saw)
    throw createRefusalError(order, 'related')
  const isRequester = order.requesterId === context.userId
  return approveForm.open(order.environment, order, orderAfter, details, { ...position, isRequester })
}
