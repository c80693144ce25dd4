import type { SimilarOrder } from './review.ts'

/** People's display names. */
export type DisplayNames = ReadonlyMap<string, string>

/** What the views show besides the order itself. */
export interface OrderDetails {
  /** When it was read. */
  now: Date
  people: DisplayNames
  /** The allowed domains. */
  domains: readonly string[]
  /** Other orders with its key or one of its names, among the newest ones; only while it waits. */
  similar: readonly SimilarOrder[]
}
