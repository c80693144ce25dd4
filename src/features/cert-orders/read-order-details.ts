import type { Workspace } from '@signalman/slack'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import type { StoredOrders } from './rows/orders.ts'
import { getFirstRequester, type Order } from './rules/order.ts'
import type { Comparison, DisplayNames, OrderDetails } from './rules/order-details.ts'
import { RECEIVED_OR_OPEN_STATES } from './rules/order-states.ts'
import {
  fingerprintRelated,
  MAX_RELATED,
  type RelatedOrder,
  relate,
  toComparedOrder,
} from './rules/related.ts'

const MAX_COMPARED = 50

export interface CompareDeps {
  orders: Pick<StoredOrders, 'list' | 'findTouched' | 'readTime'>
}

/** Compares an order with all others in its environment that touch its key or its names, whatever their numbers. */
export async function compareOrder({ orders }: CompareDeps, order: Order): Promise<Comparison> {
  const { workspaceId, environment, renewsId, keyHash, id } = order
  const where = { workspaceId, environment, limit: MAX_COMPARED }
  const compared = toComparedOrder(order)
  const [renewals, withSameKey, touchedIds, now] = await Promise.all([
    renewsId === undefined ? [] : orders.list({ ...where, renewsId, states: ['received'] }),
    orders.list({ ...where, keyHash }),
    orders.findTouched(workspaceId, environment, compared.names),
    orders.readTime(),
  ])
  const ids = [...touchedIds].filter((touchedId) => touchedId !== id).slice(0, MAX_TOUCHED)
  const touched =
    ids.length === 0 ? [] : await orders.list({ ...where, states: RECEIVED_OR_OPEN_STATES, ids })
  const others = new Map([...withSameKey, ...touched].map((other) => [other.id, other]))
  const previousOrder = renewals.find((earlier) => earlier.id !== id)
  const related = [...others.values()]
    .sort((left, right) => right.number - left.number)
    .flatMap((other): RelatedOrder[] => {
      const relation = relate(
        compared,
        toComparedOrder(other),
        touchedIds.has(other.id),
        now,
      )
      if (!relation) return []
      const hasSameCsr = other.content.request.csr === order.content.request.csr
      return [{ order: other, relation: hasSameCsr ? 'CSR' : relation }]
    })
  const isCertificateUnknown = renewsId !== undefined && !previousOrder
  return { previousOrder, isCertificateUnknown, related, saw: fingerprintRelated(related, previousOrder?.id) }
}

/** The databases limit the parameters of a query. */
const MAX_TOUCHED = 5000

type OrderLists = Pick<StoredOrders, 'list'>

const MAX_DUPLICATES = 50

/**
 * Finds duplicates of a received order: orders with the same key, or for the same certificate, that were or may still be sent. If one
 * order was requested only after the other was sent, they don't count as duplicates.
 */
async function findDuplicates(orders: OrderLists, order: Order): Promise<Order[]> {
  if (order.state !== 'received') return []
  const { workspaceId, environment, keyHash, renewsId } = order
  const where = {
    workspaceId,
    environment,
    limit: MAX_DUPLICATES,
    states: RECEIVED_OR_OPEN_STATES,
  }
  const orderLists = await Promise.all([
    orders.list({ ...where, keyHash }),
    renewsId === undefined ? [] : orders.list({ ...where, renewsId }),
  ])
  const duplicates = new Map(orderLists.flat().map((other) => [other.id, other]))
  return [...duplicates.values()].filter(
    (other) =>
      other.id !== order.id &&
      other.createdAt <= getReceivedAt(order) &&
      order.createdAt <= getReceivedAt(other),
  )
}

const NEVER_RECEIVED = new Date(8_640_000_000_000_000)

const getReceivedAt = ({ state, receivedAt = NEVER_RECEIVED }: Order): Date =>
  state === 'received' ? receivedAt : NEVER_RECEIVED

/** Whether to alert people about this order's duplicates. Only the order that was received last raises the alert. */
export const shouldAlertAboutDuplicates = (order: Order, duplicates: readonly Order[]): boolean =>
  // If two were received at the same time, both raise it, because two alerts are better than none.
  duplicates.length > 0 &&
  duplicates.every(
    (duplicate) => duplicate.state !== 'received' || getReceivedAt(duplicate) <= getReceivedAt(order),
  )

export async function readOrderDetails(
  deps: JudgeDeps & CompareDeps & { lookUpName: LookUpName },
  order: Order,
): Promise<OrderDetails> {
  const { orders, lookUpName } = deps
  const [policyJudgment, comparison, duplicates, now] = await Promise.all([
    judgeOrder(deps, order),
    compareOrder(deps, order),
    findDuplicates(orders, order),
    orders.readTime(),
  ])
  const people = await findDisplayNames(order, lookUpName, comparison.related.slice(0, MAX_RELATED))
  return { ...policyJudgment, people, duplicates, comparison, now }
}

/** A person's display name. Throws when Slack is unavailable. */
export type LookUpName = (where: Workspace, userId: string) => Promise<string>

/**
 * Looks up the names of everyone in an order, because a mention would notify them, and of the requesters of related orders. Falls back
 * to their IDs.
 */
export async function findDisplayNames(
  order: Order,
  lookUpName: LookUpName,
  related: readonly RelatedOrder[] = [],
): Promise<DisplayNames> {
  const { approvals, ending, outcome, requestedBefore = [] } = order.content
  const outcomeRecorders = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [
    order.requesterId,
    ...requestedBefore,
    ending?.by,
    ...outcomeRecorders,
    ...approvals.map(({ by }) => by),
    ...related.map((other) => getFirstRequester(other.order)),
  ]
  const people = [...new Set(ids)].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(people.map(async (id) => [id, await lookUpName(order, id).catch(() => id)] as const)),
  )
}
