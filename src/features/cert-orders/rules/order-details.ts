import type { Judgement } from './judge.ts'
import type { Order } from './order.ts'
import type { OrderPolicy } from './policy.ts'

/** The policy, and how it judges one order. */
export interface PolicyJudgement {
  policy: OrderPolicy
  judgement: Judgement
}

/** How many approvals the order needs. */
export const countNeededApprovals = ({ policy, judgement }: PolicyJudgement): number =>
  judgement.is === 'allow' ? judgement.approvals : policy.approvals

/** How an order compares with earlier ones. */
export interface Comparison {
  /** The newest placed order of the renewed or reissued certificate. */
  earlier: Order | undefined
  /** Earlier orders with the same CSR, with the same key, and with the same names. */
  sameCsr: readonly Order[]
  sameKey: readonly Order[]
  sameNames: readonly Order[]
}

export const NOTHING_EARLIER: Comparison = { earlier: undefined, sameCsr: [], sameKey: [], sameNames: [] }

/** People's display names. */
export type Names = ReadonlyMap<string, string>

/** What the views show besides the order itself. */
export interface OrderDetails extends PolicyJudgement {
  people: Names
  /** Other orders for the same certificate that are or may be placed too. */
  duplicates?: readonly Order[]
  comparison?: Comparison
  /** Why it waits although it should have been sent right away. */
  notSentBecause?: string | undefined
}

/** What two duplicate orders share. */
export const findSharedPart = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
