import type { PolicyJudgment } from './judge.ts'
import type { Order } from './order.ts'
import type { RelatedOrder } from './related.ts'

/** How an order compares with the others in its environment. */
export interface Comparison {
  /** The newest order that was sent for the renewed or reissued certificate. */
  previousOrder: Order | undefined
  /** Whether no order from here renewed the certificate before. */
  isCertificateUnknown: boolean
  /** The orders that touch its key or its names, whatever their numbers, newest first. */
  related: readonly RelatedOrder[]
  /** What an approval is given for: see `fingerprintRelated`. */
  saw: string
}

/** The approvals that were given next to the related orders of now. */
export const listCountedApprovals = ({ content }: Order, comparison: Pick<Comparison, 'saw'>) =>
  content.approvals.filter(({ saw }) => saw === comparison.saw)

/** People's display names. */
export type DisplayNames = ReadonlyMap<string, string>

/** The policy's judgment of an order, and how it compares with the others. */
export type ComparedJudgment = PolicyJudgment & { comparison: Comparison }

/** What the views show besides the order itself. */
export interface OrderDetails extends ComparedJudgment {
  /** When it was read. */
  now: Date
  people: DisplayNames
  /** Other orders for the same certificate that the service has or may have. */
  duplicates: readonly Order[]
  /** Why the order wasn't sent right away although the policy doesn't require another approval. */
  notSentBecause?: string | undefined
}

/** What two duplicate orders share. */
export const findSharedIdentifier = (order: Order, other: Order): 'key' | 'certificate' =>
  order.keyHash === other.keyHash ? 'key' : 'certificate'
