import { createHash } from 'node:crypto'
import { DAY_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import { listCertificateNames } from './host-names.ts'
import type { Order } from './order.ts'
import { OPEN_ORDER_STATES, type OrderState } from './order-states.ts'

/** What an order shares with another one. */
export type Relation = 'CSR' | 'key' | 'same names' | 'some names'

/** How many related orders are named. */
export const MAX_RELATED = 5

/** Another order that touches the key or the names. */
export interface RelatedOrder {
  order: Order
  relation: Relation
}

/** How long a received order counts as one that may have a valid certificate. */
const COUNTS_MS = 400 * DAY_MS

/** What the comparison needs to know about an order. */
export interface ComparedOrder {
  id: string
  environment: Environment
  state: OrderState
  keyHash: string
  names: readonly string[]
  receivedAt?: Date | undefined
}

/**
 * How another order touches this one, whatever its number; undefined if it doesn't. One with the same key always does. One with names
 * that meet does while it's open, or while its certificate is or may be valid. `touches`: whether their names meet.
 */
export function relate(
  order: ComparedOrder,
  other: ComparedOrder,
  touches: boolean,
  now: Date,
): Relation | undefined {
  if (other.id === order.id || other.environment !== order.environment) return undefined
  if (other.keyHash === order.keyHash) return 'key'
  if (!touches || !mayMatter(other, now)) return undefined
  return toSet(order.names) === toSet(other.names) ? 'same names' : 'some names'
}

function mayMatter({ state, receivedAt }: ComparedOrder, now: Date): boolean {
  if (state !== 'received') return OPEN_ORDER_STATES.some((open) => open === state)
  return (receivedAt ?? now).getTime() + COUNTS_MS > now.getTime()
}

const toSet = (names: readonly string[]): string => JSON.stringify([...new Set(names)].sort())

export const toComparedOrder = (order: Order): ComparedOrder => ({
  id: order.id,
  environment: order.environment,
  state: order.state,
  keyHash: order.keyHash,
  names: listCertificateNames(order.content.csr).map(({ text }) => text),
  receivedAt: order.receivedAt,
})

/** The states in which a related order changes what an approval was given for. */
const SENT_STATES: readonly OrderState[] = ['received', 'unknown', 'submitting']

/**
 * A fingerprint of the sent orders that an approver saw. An approval only counts for it. Orders that wait are shown but don't undo
 * approvals: otherwise, any member could undo them by requesting something. `expectedId`: the order that this one renews.
 */
export function fingerprintRelated(related: readonly RelatedOrder[], expectedId?: string): string {
  const sent = related
    .filter(({ order }) => SENT_STATES.includes(order.state) && order.id !== expectedId)
    .map(({ order, relation }) => `${order.id} ${relation}`)
  return createHash('sha256').update(JSON.stringify(sent.sort())).digest('base64url').slice(0, 22)
}

/** The fingerprint if there are none. */
export const NOTHING_SEEN = fingerprintRelated([])
