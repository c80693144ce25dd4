import { UserError } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  context,
  type Line,
  lines,
  oneLine,
  pageButton,
  textElement,
} from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import { type LookUpName, readOrderDetails } from '../read-order-details.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { countNeededApprovals } from '../rules/judge.ts'
import { getFirstRequester, type Order } from '../rules/order.ts'
import { NO_COMPARISON, type OrderDetails } from '../rules/order-details.ts'
import { MODAL_PAGE, makeVisible, splitIntoPages } from '../rules/pages.ts'
import { createRefusalError } from '../rules/refusals.ts'
import { getActionTexts } from '../rules/request-fields.ts'
import { findOrderOrThrow, previewStep, type RuleDeps } from '../transition-order.ts'
import { listDifferences } from '../views/comparison.ts'
import { getDisplayName } from '../views/facts.ts'
import { listApproverNotes } from '../views/messages.ts'
import { describeQuestions } from '../views/questions.ts'
import { expandedSection, listOrderEntries } from '../views/request.ts'
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
  /** `orderAfter`: the order as it would be after this approval. */
  content(
    _,
    order: Order,
    orderAfter: Order,
    details: OrderDetails,
    position: { page: number; read: number },
  ) {
    const { number, bodyHash: hash } = order
    const pages = splitApprovalPages(order, details)
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
        page === 1
          ? [lines(...listNameLines(order)), lines(...listSummaryLines(order, orderAfter, details))]
          : [],
        (pages[page - 1] ?? []).map(expandedSection),
        context(
          isLast
            ? `${positionText}You’re approving exactly this order (fingerprint ${hash.slice(0, 12)}).`
            : `${positionText}Approve is on the last page.`,
        ),
        actions(
          // In the body rather than next to Approve, because a double click must not approve.
          ...(isLast ? [] : [pageButton('Next page', 'next', { style: 'primary' })]),
          ...(page > 1 ? [pageButton('Previous page', 'previous')] : []),
          commandButton('All as a file', `/cert-order file ${number}`, { inPlace: false }),
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
  return approveForm.open(order.environment, order, orderAfter, details, position)
}

/** The differences from the renewed order, then every value. */
const splitApprovalPages = (order: Order, { comparison = NO_COMPARISON }: OrderDetails): string[][] =>
  splitIntoPages([...listDifferences(order, comparison), ...listOrderEntries(order)], MODAL_PAGE)

const MAX_NAMES = 10

/** The names, in bold and one a line, because they are what is decided on. */
function listNameLines({ content: { csr } }: Order): Line[] {
  const names = listCertificateNames(csr).map(({ text }) => makeVisible(text))
  const more = names.length - MAX_NAMES
  return [
    ...names.slice(0, MAX_NAMES).map((name): Line => [textElement(clip(name, MAX_NAME_LENGTH))]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

const MAX_NAME_LENGTH = 255

/** `New certificate · Domain validated, one name · 1 year · asked by Ann, July 4`. */
function describeRequest(order: Order, { people }: OrderDetails): Line {
  const { request, names } = order.content
  const kind = getActionTexts(request.action)?.kind ?? request.action
  const subject = names.product ?? request.productId ?? request.certificateId ?? ''
  const texts = [kind, subject, request.duration].map((text) => clip(oneLine(text), MAX_NAME_LENGTH))
  const by = oneLine(getDisplayName(people, getFirstRequester(order)))
  return [`${texts.filter(Boolean).join(' · ')} · asked by ${by}, `, order.createdAt]
}

function listSummaryLines(order: Order, orderAfter: Order, details: OrderDetails): Line[] {
  return [
    describeRequest(order, details),
    ...listApproverNotes(order, details),
    ...describeQuestions(order, details.people, Number.MAX_SAFE_INTEGER),
    ...describeInvalidApprovals(order, orderAfter, details),
    describeEffect(orderAfter, details),
  ]
}

function describeEffect({ state, content }: Order, details: OrderDetails): string {
  if (state === 'submitting')
    return 'If you approve, the order is sent right away. It’s sent once and never resent automatically.'
  const { length } = content.approvals
  const needed = countNeededApprovals(details)
  return `If you approve, the order has ${length} of ${needed} approvals and needs ${needed - length} more.`
}

/** Says which earlier approvals no longer count. */
function describeInvalidApprovals(order: Order, orderAfter: Order, { people }: OrderDetails): string[] {
  const countedApprovers = new Set(orderAfter.content.approvals.map(({ by }) => by))
  const notCounted = order.content.approvals.filter(({ by }) => !countedApprovers.has(by))
  if (notCounted.length === 0) return []
  const names = notCounted.map(({ by }) => oneLine(getDisplayName(people, by))).join(', ')
  return [`Approvals by people who can no longer approve this order don’t count: ${names}.`]
}
