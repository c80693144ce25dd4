import type { PolicyJudgment } from './judge.ts'
import type { Order } from './order.ts'

/** How an order compares with earlier ones. */
export interface Comparison {
  /** The newest placed order of the renewed or reissued certificate. */
  previousOrder: Order | undefined
  /** Earlier orders with the same CSR, with the same key, and with the same names. */
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
  /** Other orders for the same certificate that are or may be placed too. */
  duplicates?: readonly Order[]
  comparison?: Comparison
  /** Why it waits although it should have been sent right away. */
  notSentBecause?: string | undefined
}

/** What two duplicate orders share. */
export const findSharedIdentifier = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
