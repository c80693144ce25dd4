import type { OrderRepository } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'

type Lists = Pick<OrderRepository, 'list'>

const MAX_RESULTS = 50

/**
 * For a placed order: other orders with the same key, or for the same certificate, that are or may be placed too. Skips those of
 * which one was requested after the other was placed.
 */
export async function findDuplicates(orders: Lists, order: Order): Promise<Order[]> {
  if (order.state !== 'placed') return []
  const { workspaceId, environment, keyHash, renewsId } = order
  const where = { workspaceId, environment, limit: MAX_RESULTS, states: ['placed', ...OPEN_ORDERS] as const }
  const found = await Promise.all([
    orders.list({ ...where, keyHash }),
    renewsId === undefined ? [] : orders.list({ ...where, renewsId }),
  ])
  const twins = new Map(found.flat().map((other) => [other.id, other]))
  return [...twins.values()].filter(
    (other) =>
      other.id !== order.id && other.createdAt <= placedAt(order) && order.createdAt <= placedAt(other),
  )
}

const NEVER = new Date(8_640_000_000_000_000)

const placedAt = ({ state, placedAt: at = NEVER }: Order): Date => (state === 'placed' ? at : NEVER)

/** Whether this order raises the alert about duplicates: only the one that was placed last does. */
export const raisesAlert = (order: Order, twins: readonly Order[]): boolean =>
  // If both were placed at the same moment, both do: two alerts are better than none.
  twins.length > 0 && twins.every((twin) => twin.state !== 'placed' || placedAt(twin) <= placedAt(order))
