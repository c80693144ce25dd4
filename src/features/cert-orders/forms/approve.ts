import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { actions, commandButton, context, type Line, lines, oneLine, pageButton } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { OrderRepository } from '../rows/orders.ts'
import { firstRequester, type Order } from '../rules/order.ts'
import { splitIntoPages, WINDOW_PAGE } from '../rules/pages.ts'
import { createRefusal } from '../rules/refusals.ts'
import { NOTHING_EARLIER, neededApprovals, type Shown } from '../rules/shown.ts'
import { type NameOf, readShown } from '../shown-order.ts'
import { listDifferences } from '../views/comparison.ts'
import { displayName } from '../views/facts.ts'
import { openNotes } from '../views/messages.ts'
import { readSection } from '../views/request.ts'
import { wholeOrder } from '../views/whole-order.ts'
import { answerLine } from '../views/words.ts'
import type { FormParts } from './order.ts'

/** Which page of the body the window shows, and up to which page the approver has read. */
interface ApproveAbout {
  number: number
  hash: string
  page: number
  pages: number
  /** Pages open in order. */
  read: number
}

export type ApproveParts = FormParts & {
  orders: OrderRepository
  settings: Pick<Settings, 'get'>
  nameOf: NameOf
}

/** Approves exactly the body that the window showed, once every page was open. */
export const approveForm = form({
  id: 'cert-orders.approve',
  title: 'Approve order',
  button: 'Approve',
  verb: '/cert-order approve',
  needs: 'approver',
  working: 'Approving… The result will appear here.',
  /** `approved` is the order after this approval. */
  asks(_, order: Order, approved: Order, shown: Shown, at: { page: number; read: number }) {
    const { number, bodyHash: hash } = order
    const pages = approvalPages(order, shown)
    const page = Math.min(at.page, pages.length)
    const about: ApproveAbout = {
      number,
      hash,
      page,
      pages: pages.length,
      read: Math.min(Math.max(at.read, page), pages.length),
    }
    const isLast = page === pages.length
    const place = pages.length > 1 ? `Page ${page} of ${pages.length}. ` : ''
    return {
      title: `Approve order ${number}`,
      button: isLast ? 'Approve' : false,
      about,
      blocks: [
        page === 1 ? [lines(...head(order, approved, shown))] : [],
        (pages[page - 1] ?? []).map(readSection),
        context(
          isLast
            ? `${place}You’re approving exactly this order (fingerprint ${hash.slice(0, 12)}).`
            : `${place}Approve is on the last page.`,
        ),
        actions(
          // In the body, away from Approve, so that a double click can't approve.
          ...(isLast ? [] : [pageButton('Next page', 'next', { style: 'primary' })]),
          ...(page > 1 ? [pageButton('Previous page', 'previous')] : []),
          commandButton('All as a file', `/cert-order file ${number}`, { inPlace: false }),
        ),
      ],
    }
  },
  async turn(
    context,
    { number, hash, page, read }: ApproveAbout,
    to: string,
    parts: ApproveParts,
  ): Promise<Modal> {
    const { service } = parts
    const order = await service.orderOrThrow(context.workspaceId, number)
    if (order.bodyHash !== hash) throw createRefusal(order, 'changed')
    const next = to === 'previous' ? Math.max(1, page - 1) : Math.min(page + 1, read + 1)
    return openApproval(parts, context, order, { page: next, read })
  },
  async submit(context, _, { number, hash, page, pages, read }: ApproveAbout, parts: ApproveParts) {
    if (page !== pages || read !== pages)
      throw new UserError(`Read all ${pages} pages of order ${number}, then approve it on the last one.`)
    const order = await parts.service.approve(context, number, hash, `${read} of ${pages} pages`)
    return parts.show(context, order)
  },
})

/** The window for an approval. Throws UserError where this person can't approve the order, or the policy doesn't allow it. */
export async function openApproval(
  parts: ApproveParts,
  context: CommandContext,
  order: Order,
  at = { page: 1, read: 0 },
): Promise<Modal> {
  const [approved, shown] = await Promise.all([
    parts.service.check(context, order, 'approve'),
    readShown(parts, order),
  ])
  if (shown.judgement.is === 'deny')
    throw new UserError(
      [`The order policy no longer allows order ${order.number}.`, ...shown.judgement.because].join('\n'),
      [{ label: 'Reject it', line: `/cert-order reject ${order.number}` }],
    )
  return approveForm.open(order.environment, order, approved, shown, at)
}

/** The differences from the renewed order, then every value. */
const approvalPages = (order: Order, { comparison = NOTHING_EARLIER }: Shown): string[][] =>
  splitIntoPages([...listDifferences(order, comparison), ...wholeOrder(order)], WINDOW_PAGE)

function head(order: Order, approved: Order, shown: Shown): Line[] {
  return [
    answerLine(order, shown, shown.people, { decides: true }),
    ...invalidApprovals(order, approved, shown),
    describeEffect(approved, shown),
    ...openNotes(order, shown),
    ['Requested by ', oneLine(displayName(shown.people, firstRequester(order))), ', ', order.createdAt],
  ]
}

function describeEffect({ state, content }: Order, shown: Shown): string {
  if (state === 'submitting')
    return 'If you approve, the order is sent right away. It’s sent once and never resent automatically.'
  const { length } = content.approvals
  const needed = neededApprovals(shown)
  return `If you approve, the order has ${length} of ${needed} approvals and needs ${needed - length} more.`
}

/** Earlier approvals that the current policy and roles no longer allow. */
function invalidApprovals(order: Order, approved: Order, { people }: Shown): string[] {
  const counted = new Set(approved.content.approvals.map(({ by }) => by))
  const lost = order.content.approvals.filter(({ by }) => !counted.has(by))
  if (lost.length === 0) return []
  const names = lost.map(({ by }) => oneLine(displayName(people, by))).join(', ')
  return [`Approvals by people who can no longer approve this order don’t count: ${names}.`]
}
