import type { OrderRepository } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'

type Lists = Pick<OrderRepository, 'list'>

const MOST = 50

/**
 * For a placed order: the orders with the same key, or that renew the same certificate, that are placed too or may be, and of which
 * neither was requested after the other was placed.
 */
export async function placedTwice(orders: Lists, order: Order): Promise<Order[]> {
  if (order.state !== 'placed') return []
  const { workspaceId, environment, keyHash, renewsId } = order
  const where = { workspaceId, environment, limit: MOST, states: ['placed', ...OPEN_ORDERS] as const }
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

/** Whether this order raises the alarm about the orders placed beside it: the one that was placed last does. */
export const raisesAlarm = (order: Order, twins: readonly Order[]): boolean =>
  // Of two at the same moment both do: one alarm too many is better than none.
  twins.length > 0 && twins.every((twin) => twin.state !== 'placed' || placedAt(twin) <= placedAt(order))
