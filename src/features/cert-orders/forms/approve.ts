import { UserError } from '@signalman/runtime'
import { actions, commandButton, context, expandedSection, pageButton, section } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { OutdatedWindow } from '../../../bot/routes/outdated-window.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { readOrderDetails } from '../read-order-details.ts'
import type { Order } from '../rules/order.ts'
import type { OrderDetails } from '../rules/order-details.ts'
import { describeRefusal, StepRefused } from '../rules/refusals.ts'
import { findOrderOrThrow, previewApproval } from '../transition-order.ts'
import { buildApproval, describeEffect } from '../views/approval.ts'

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
    position: Position,
  ) {
    const { number, bodyHash: hash } = order
    const { head, pages } = buildApproval(order, orderAfter, details)
    const page = Math.min(position.page, pages.length)
    const formState: ApprovalFormState = {
      number,
      hash,
      saw: details.comparison.saw,
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
        position.isAgain ? [section(`⚠️ ${describeRefusal(order, 'related')}`)] : [],
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
    deps: CertOrderDeps,
  ): Promise<Modal> {
    const order = await findOrderOrThrow(deps, context.workspaceId, number)
    if (order.bodyHash !== hash) throw new StepRefused(order, 'changed')
    const next = to === 'previous' ? Math.max(1, page - 1) : Math.min(page + 1, read + 1)
    return openApproval(deps, context, order, { page: next, read, saw })
  },
  async submit(context, _, { number, hash, saw, page, pages, read }: ApprovalFormState, deps: CertOrderDeps) {
    if (page !== pages || read !== pages)
      throw new UserError(`Read all ${pages} pages of order ${number}, then approve it on the last one.`)
    try {
      const order = await deps.service.approve(context, number, { hash, saw }, `${read} of ${pages} pages`)
      return await deps.renderForUser(context, order)
    } catch (error) {
      if (!(error instanceof StepRefused && error.kind === 'related')) throw error
      const order = await findOrderOrThrow(deps, context.workspaceId, number)
      throw new OutdatedWindow(error, await openApproval(deps, context, order, FROM_THE_START))
    }
  },
})

/** The approval window. Throws UserError if this person can't approve the order or the policy doesn't allow it. */
export async function openApproval(
  deps: CertOrderDeps,
  context: CommandContext,
  order: Order,
  { saw, ...position }: Position & { saw?: string } = { page: 1, read: 0 },
): Promise<Modal> {
  const details = await readOrderDetails(deps, order)
  const orderAfter = await previewApproval(deps, context, order, details)
  // Later pages don't show the related orders, so the approver has to start again.
  const isCurrent = saw === undefined || saw === details.comparison.saw
  return approveForm.open(order.environment, order, orderAfter, details, isCurrent ? position : FROM_THE_START)
}

/** The page that is shown, and how far the approver has read. */
interface Position {
  page: number
  read: number
  /** The related orders have changed since the approver opened the window. */
  isAgain?: boolean
}
const FROM_THE_START: Position = { page: 1, read: 0, isAgain: true }
