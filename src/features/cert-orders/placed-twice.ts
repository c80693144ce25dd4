import { UserError } from '../../errors.ts'
import type { Order, OrderRepository } from './order.ts'

type Finds = Pick<OrderRepository, 'find'>

const MOST_LINKS = 50

/** The orders whose place this one takes, and those that take its place, nearest first. */
async function lineOf(orders: Finds, order: Order, way: 'follows' | 'followedBy'): Promise<Order[]> {
  const line: Order[] = []
  let number = order.content[way]
  while (number !== undefined && line.length < MOST_LINKS) {
    const next = await orders.find(order.workspaceId, number)
    if (!next) break
    line.push(next)
    number = next.content[way]
  }
  return line
}

/** Placed, or on the way to it. */
const OPEN: ReadonlySet<Order['state']> = new Set(['placed', 'awaiting', 'submitting', 'unknown'])

/** For a placed order: its predecessors and successors that are, or may still be, placed too. */
export async function placedTwice(orders: Finds, order: Order): Promise<Order[]> {
  const { state, content } = order
  if (state !== 'placed' || (content.follows === undefined && content.followedBy === undefined)) return []
  const before = await lineOf(orders, order, 'follows')
  const after = await lineOf(orders, order, 'followedBy')
  return [...before, ...after].filter((other) => OPEN.has(other.state))
}

/** Whether the alarm about these orders is this order's to raise: of several that were placed, it is the last one's. */
export const raisesAlarm = (order: Order, twins: readonly Order[]): boolean =>
  // Of two at the same moment both do: an alarm too many is better than none.
  twins.length > 0 && twins.every((twin) => twin.state !== 'placed' || twin.updatedAt <= order.updatedAt)

/** The order whose place this one takes and which was placed after all: then this one must not be. */
export const placedBefore = async (orders: Finds, order: Order): Promise<Order | undefined> =>
  (await lineOf(orders, order, 'follows')).find(({ state }) => state === 'placed')

/** Throws UserError when the order would be the second of its kind. */
export async function refuseSecond(orders: Finds, order: Order): Promise<void> {
  const before = await placedBefore(orders, order)
  if (!before) return
  throw new UserError(
    `Order ${before.number}, whose place order ${order.number} takes, was placed after all. Order ${order.number} would be the same certificate a second time, so it is not placed; reject it.`,
    [{ label: `Show order ${before.number}`, line: `/cert-order show ${before.number}` }],
  )
}
