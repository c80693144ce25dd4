import { isDecrypted } from '@signalman/durable'
import { actions, card, commandButton, context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import { type CompareDeps, compareOrder, findDisplayNames, type LookUpName } from './read-order-details.ts'
import type { StoredOrders } from './rows/orders.ts'
import { hasRequested, type Order } from './rules/order.ts'
import { listCountedApprovals } from './rules/order-details.ts'
import { ORDER_POLICY } from './rules/policy.ts'
import { orderControls } from './views/buttons.ts'
import { listComparisonWarnings } from './views/comparison.ts'
import { describeUndecryptable, orderRow } from './views/list.ts'
import { summarizeWarnings } from './views/request.ts'
import { formatOrderHeadline } from './views/words.ts'

const MAX_SHOWN = 5
/** Larger than MAX_SHOWN, because orders that this person can't approve, such as their own, are skipped. */
const MAX_SEARCHED = 100

/** A person's own orders, newest first. */
export const readOwnOrders = ({ orders }: { orders: StoredOrders }, { workspaceId, userId }: Requester) =>
  orders.listWithUndecryptable({ workspaceId, requesterId: userId, limit: MAX_SHOWN })

/**
 * The orders waiting for a person's decision, newest first. Undefined for people who can't approve orders.
 */
export async function readWaitingOrders(
  deps: JudgeDeps & CompareDeps & { orders: StoredOrders; lookUpName: LookUpName },
  context: Requester & Rights,
) {
  const { orders, settings, lookUpName } = deps
  const { workspaceId, userId, now } = context
  const canApprove = await context.hasRole(userId, 'approver')
  if (!canApprove) return undefined
  const [openOrders, policy] = await Promise.all([
    orders.listWithUndecryptable({ workspaceId, states: ['awaiting', 'unknown'], limit: MAX_SEARCHED }),
    settings.get(workspaceId, ORDER_POLICY),
  ])
  const readable = openOrders.filter(isDecrypted)
  const mayDecide = readable.filter((order) => policy.direct || !hasRequested(order, userId))
  const hasApproved = await Promise.all(mayDecide.map((order) => hasCountedApproval(deps, order, userId)))
  const waiting = mayDecide.filter((_, index) => !hasApproved[index])
  const cards = waiting.slice(0, MAX_SHOWN).map(async (order) => ({
    order,
    now,
    people: await findDisplayNames(order, lookUpName),
    policyJudgment: { ...(await judgeOrder(deps, order)), comparison: await compareOrder(deps, order) },
  }))
  const undecryptableCount = openOrders.length - readable.length
  const isTruncated = openOrders.length === MAX_SEARCHED
  return { cards: await Promise.all(cards), total: waiting.length, isTruncated, undecryptableCount }
}

/** Whether this person's approval counts now. */
async function hasCountedApproval(deps: CompareDeps, order: Order, userId: string): Promise<boolean> {
  const isTheirs = ({ by }: { by: string }): boolean => by === userId
  if (order.state !== 'awaiting' || !order.content.approvals.some(isTheirs)) return false
  return listCountedApprovals(order, await compareOrder(deps, order)).some(isTheirs)
}

type Waiting = NonNullable<Awaited<ReturnType<typeof readWaitingOrders>>>

/** The orders in App Home that wait for the person. Empty if there are none. */
export const waitingOrderBlocks = (waiting: Waiting | undefined): KnownBlock[] =>
  waiting && (waiting.total > 0 || waiting.undecryptableCount > 0 || waiting.isTruncated)
    ? [...waitingBlocks(waiting), ...actions(commandButton('All orders', '/cert-order list'))]
    : []

/** The person's own orders in App Home. Empty if there are none. */
export const ownOrderBlocks = (mine: Awaited<ReturnType<typeof readOwnOrders>>): KnownBlock[] =>
  mine.length === 0
    ? []
    : [
        context('Your recent orders'),
        ...mine.map(orderRow),
        ...actions(commandButton('My orders', '/cert-order list --mine')),
      ]

const NONE_WAITING = 'None of the newest open orders is waiting for you. For older ones, see all orders.'

function waitingBlocks({ cards, total, isTruncated, undecryptableCount }: Waiting): KnownBlock[] {
  const undecryptableBlocks =
    undecryptableCount > 0 ? [context(`${describeUndecryptable(undecryptableCount)}: see all orders.`)] : []
  if (total === 0) return isTruncated ? [context(NONE_WAITING), ...undecryptableBlocks] : undecryptableBlocks
  const remaining = total - cards.length
  return [
    context(
      isTruncated
        ? `${formatCount(total)} or more orders are waiting for your decision`
        : `${pluralize(total, 'order')} ${total === 1 ? 'is' : 'are'} waiting for your decision`,
    ),
    ...cards.flatMap(cardBlocks),
    ...(remaining > 0 ? [context(`${isTruncated ? 'More' : `${remaining} more`}: see all orders.`)] : []),
    ...undecryptableBlocks,
  ]
}

/** The facts that an approver needs at a glance, with the buttons. */
const cardBlocks = ({ order, now, people, policyJudgment }: Waiting['cards'][number]): KnownBlock[] =>
  card({
    headline: formatOrderHeadline(order, policyJudgment, people, { canApprove: true }),
    notes:
      order.state === 'awaiting'
        ? [
            ...listComparisonWarnings(order, policyJudgment.comparison),
            summarizeWarnings(order.content, now),
          ]
        : [],
    ...orderControls(order, { canApprove: true }),
  }).blocks
