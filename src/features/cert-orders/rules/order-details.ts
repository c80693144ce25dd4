import type { PolicyJudgment } from './judge.ts'
import type { Order } from './order.ts'

/** How an order compares with earlier ones. */
export interface Comparison {
  /** The newest order that was sent for the renewed or reissued certificate. */
  previousOrder: Order | undefined
  /** Earlier orders that have the same CSR, key, or names. */
  sameCsr: readonly Order[]
  sameKey: readonly Order[]
  sameNames: readonly Order[]
}

export const NO_COMPARISON: Comparison = { previousOrder: undefined, sameCsr: [], sameKey: [], sameNames: [] }

/** People's display names. */
export type DisplayNames = ReadonlyMap<string, string>

/** What the views show besides the order itself. */
export interface OrderDetails extends PolicyJudgment {
  people: DisplayNames
  /** Other orders for the same certificate that the service has or may have. */
  duplicates?: readonly Order[]
  comparison?: Comparison
  /** Why the order wasn't sent right away although the policy doesn't require another approval. */
  notSentBecause?: string | undefined
}

/** What two duplicate orders share. */
export const findSharedIdentifier = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
