import type { OrderRepository } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'

type OrderLists = Pick<OrderRepository, 'list'>

const MAX_RESULTS = 50

/**
 * Finds duplicates of a placed order: orders with the same key, or for the same certificate, that are or may be placed too. Skips
 * pairs where one was requested after the other was placed.
 */
export async function findDuplicates(orders: OrderLists, order: Order): Promise<Order[]> {
  if (order.state !== 'placed') return []
  const { workspaceId, environment, keyHash, renewsId } = order
  const where = { workspaceId, environment, limit: MAX_RESULTS, states: ['placed', ...OPEN_ORDERS] as const }
  const orderLists = await Promise.all([
    orders.list({ ...where, keyHash }),
    renewsId === undefined ? [] : orders.list({ ...where, renewsId }),
  ])
  const duplicates = new Map(orderLists.flat().map((other) => [other.id, other]))
  return [...duplicates.values()].filter(
    (other) =>
      other.id !== order.id && other.createdAt <= getPlacedAt(order) && order.createdAt <= getPlacedAt(other),
  )
}

const NEVER_PLACED = new Date(8_640_000_000_000_000)

const getPlacedAt = ({ state, placedAt = NEVER_PLACED }: Order): Date =>
  state === 'placed' ? placedAt : NEVER_PLACED

/** Whether this order raises the alert about duplicates. Only the last one placed does. */
export const shouldAlert = (order: Order, duplicates: readonly Order[]): boolean =>
  // If both were placed at the same time, both raise it: two alerts are better than none.
  duplicates.length > 0 &&
  duplicates.every(
    (duplicate) => duplicate.state !== 'placed' || getPlacedAt(duplicate) <= getPlacedAt(order),
  )
