import type { Judgement } from './judge.ts'
import type { Order } from './order.ts'
import type { OrderPolicy } from './policy.ts'

/** The policy, and its judgment of one order. */
export interface Judged {
  policy: OrderPolicy
  judgement: Judgement
}

/** How many approvals the order needs. */
export const neededApprovals = ({ policy, judgement }: Judged): number =>
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

/** What the views of an order show in addition to it. */
export interface Shown extends Judged {
  people: Names
  /** Other orders for the same certificate that are or may be placed too. */
  twins?: readonly Order[]
  comparison?: Comparison
  /** Why it waits although it was to be sent at once. */
  notSentBecause?: string | undefined
}

/** Says what two orders for the same certificate have in common. */
export const whatTheyShare = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
