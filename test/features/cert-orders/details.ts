import type { OrderDetails } from '../../../src/features/cert-orders/rules/review.ts'

/** What the views show besides an order. */
export const createDetails = (different: Partial<OrderDetails> = {}): OrderDetails => ({
  now: new Date('2026-03-01T12:00:00.000Z'),
  people: new Map(),
  domains: [],
  similar: [],
  ...different,
})
