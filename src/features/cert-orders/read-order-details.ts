import type { Workspace } from '@signalman/slack'
import { type JudgeDeps, judgeOrder } from './judge-order.ts'
import type { OrderRepository } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import type { Comparison, DisplayNames, OrderDetails } from './rules/order-details.ts'
import { OPEN_ORDER_STATES } from './rules/order-states.ts'

const MAX_COMPARED = 20

/** In other states, an earlier order with the same names doesn't matter to an approver. */
const COMPARED_STATES = ['received', ...OPEN_ORDER_STATES] as const

/** Compares an order with earlier ones in its environment. */
export async function compareWithEarlier(
  orders: Pick<OrderRepository, 'list'>,
  order: Order,
): Promise<Comparison> {
  const { workspaceId, environment, renewsId, keyHash, namesHash, number } = order
  const where = { workspaceId, environment, below: number, limit: MAX_COMPARED }
  const [renewals, withSameKey, withSameNames] = await Promise.all([
    renewsId === undefined ? [] : orders.list({ ...where, renewsId, states: ['received'] }),
    orders.list({ ...where, keyHash }),
    orders.list({ ...where, namesHash, states: COMPARED_STATES }),
  ])
  const { csr } = order.content.request
  const isSameCsr = (other: Order): boolean => other.content.request.csr === csr
  // Orders with the same key are listed separately, and a renewal always has the names of earlier orders.
  const isWorthShowing = (other: Order): boolean =>
    other.keyHash !== keyHash && (other.state !== 'received' || renewsId === undefined)
  return {
    previousOrder: renewals[0],
    sameCsr: withSameKey.filter(isSameCsr),
    sameKey: withSameKey.filter((other) => !isSameCsr(other)),
    sameNames: withSameNames.filter(isWorthShowing),
  }
}

type OrderLists = Pick<OrderRepository, 'list'>

const MAX_DUPLICATES = 50

/**
 * Finds duplicates of a received order: orders with the same key, or for the same certificate, that were or may still be sent. If one
 * order was requested only after the other was sent, they don't count as duplicates.
 */
export async function findDuplicates(orders: OrderLists, order: Order): Promise<Order[]> {
  if (order.state !== 'received') return []
  const { workspaceId, environment, keyHash, renewsId } = order
  const where = {
    workspaceId,
    environment,
    limit: MAX_DUPLICATES,
    states: ['received', ...OPEN_ORDER_STATES] as const,
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
  deps: JudgeDeps & { lookUpName: LookUpName },
  order: Order,
): Promise<OrderDetails & Required<Pick<OrderDetails, 'duplicates' | 'comparison'>>> {
  const [policyJudgment, people, duplicates, comparison] = await Promise.all([
    judgeOrder(deps, order),
    findDisplayNames(order, deps.lookUpName),
    findDuplicates(deps.orders, order),
    compareWithEarlier(deps.orders, order),
  ])
  return { ...policyJudgment, people, duplicates, comparison }
}

/** A person's display name. Throws when Slack is unavailable. */
export type LookUpName = (where: Workspace, userId: string) => Promise<string>

/** Looks up the names of everyone in an order, because a mention would notify them. Falls back to their IDs. */
export async function findDisplayNames(order: Order, lookUpName: LookUpName): Promise<DisplayNames> {
  const { approvals, ending, outcome, requestedBefore = [] } = order.content
  const outcomeRecorders = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [
    order.requesterId,
    ...requestedBefore,
    ending?.by,
    ...outcomeRecorders,
    ...approvals.map(({ by }) => by),
  ]
  const people = [...new Set(ids)].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(people.map(async (id) => [id, await lookUpName(order, id).catch(() => id)] as const)),
  )
}
