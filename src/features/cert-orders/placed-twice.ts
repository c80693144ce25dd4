import { UserError } from '@signalman/runtime'
import type { Order, OrderRepository } from './order.ts'
import { stillOpen } from './refusals.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'

type Lists = Pick<OrderRepository, 'list'>

const MOST = 50

/**
 * The orders of the same key, or about the same certificate, and environment that were there while this one was: of them and it,
 * one may be placed. One that was asked for after the other was placed renews it or replaces it, which is its requester's to want.
 */
async function rivalsOf(orders: Lists, order: Order): Promise<Order[]> {
  const { workspaceId, environment, keyHash, createdAt, content } = order
  const { certificateId } = content.request
  const where = { workspaceId, environment, limit: MOST }
  const states = ['placed', ...OPEN_ORDERS] as const
  const isAbout = (other: Order) => other.content.request.certificateId === certificateId
  const found = await Promise.all([
    keyHash === undefined ? [] : orders.list({ ...where, keyHash, states }),
    ...(certificateId === undefined
      ? []
      : [
          orders.list({ ...where, certificateId, states: OPEN_ORDERS }),
          // One that is placed is found by the certificate that came of it alone.
          all(orders, { ...where, states: ['placed'], changedSince: createdAt }, isAbout),
        ]),
  ])
  const rivals = new Map(found.flat().map((other) => [other.id, other]))
  return [...rivals.values()].filter(
    (other) =>
      other.id !== order.id && other.createdAt <= placedAt(order) && order.createdAt <= placedAt(other),
  )
}

/** All that fit, read a page at a time. */
async function all(
  orders: Lists,
  query: Parameters<Lists['list']>[0],
  fits: (order: Order) => boolean,
): Promise<Order[]> {
  const found: Order[] = []
  for (let below: number | undefined; ; ) {
    const page = await orders.list({ ...query, ...(below !== undefined && { below }) })
    found.push(...page.filter(fits))
    below = page.at(-1)?.number
    // A page may be short of those that do not open.
    if (below === undefined) return found
  }
}

const NEVER = new Date(8_640_000_000_000_000)

const placedAt = ({ state, content, updatedAt }: Order): Date =>
  state !== 'placed' ? NEVER : content.outcome.at === undefined ? updatedAt : new Date(content.outcome.at)

/** For a placed order: those that are, or may still be, placed too. */
export const placedTwice = async (orders: Lists, order: Order): Promise<Order[]> =>
  order.state === 'placed' ? await rivalsOf(orders, order) : []

/** Whether the alarm about these orders is this order's to raise: of several that were placed, it is the last one's. */
export const raisesAlarm = (order: Order, twins: readonly Order[]): boolean =>
  // Of two at the same moment both do: an alarm too many is better than none.
  twins.length > 0 && twins.every((twin) => twin.state !== 'placed' || placedAt(twin) <= placedAt(order))

/** The order that keeps this one from being placed: it is the same certificate, or nobody knows yet whether it is. */
export const placedBefore = async (orders: Lists, order: Order): Promise<Order | undefined> =>
  (await rivalsOf(orders, order)).find(
    ({ state, number }) =>
      state === 'placed' || state === 'unknown' || (state === 'submitting' && number < order.number),
  )

/** Throws UserError when the order would be the second of its kind. */
export async function refuseSecond(orders: Lists, order: Order): Promise<void> {
  const before = await placedBefore(orders, order)
  if (!before) return
  const shared = sharedBy(order, before)
  if (before.state !== 'placed') throw stillOpen(before, shared)
  throw new UserError(
    `Order ${before.number}, for the same ${shared}, was placed after order ${order.number} was asked for. Order ${order.number} would be the same certificate again, so it is not placed. Reject it.`,
    [{ label: `Show order ${before.number}`, line: `/cert-order show ${before.number}` }],
  )
}

/** What makes two orders rivals. */
export const sharedBy = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash !== undefined && order.keyHash === other.keyHash ? 'key' : 'certificate'
