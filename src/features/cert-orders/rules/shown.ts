import type { Judgement } from './judge.ts'
import type { Order } from './order.ts'
import type { OrderPolicy } from './policy.ts'

/** The policy, and what it says of one order. */
export interface Judged {
  policy: OrderPolicy
  judgement: Judgement
}

/** How many approvals the order needs. */
export const neededApprovals = ({ policy, judgement }: Judged): number =>
  judgement.is === 'allow' ? judgement.approvals : policy.approvals

/** How an order compares with earlier ones. */
export interface Comparison {
  /** The newest placed order of the certificate that is renewed or reissued. */
  earlier: Order | undefined
  /** Earlier orders with the very same request, others with its key, and others with its names. */
  sameCsr: readonly Order[]
  sameKey: readonly Order[]
  sameNames: readonly Order[]
}

export const NOTHING_EARLIER: Comparison = { earlier: undefined, sameCsr: [], sameKey: [], sameNames: [] }

/** Who people are, by the name that others know. */
export type Names = ReadonlyMap<string, string>

/** What the views of an order show beside the order itself. */
export interface Shown extends Judged {
  people: Names
  /** Other orders for the same certificate that are placed too, or may be. */
  twins?: readonly Order[]
  /** How it compares with earlier orders. */
  comparison?: Comparison
  /** Why it waits although it was to be sent at once. */
  notSentBecause?: string | undefined
}

/** What makes two orders be for one certificate. */
export const sharedBy = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
