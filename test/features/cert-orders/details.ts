import type { OrderDetails } from '../../../src/features/cert-orders/rules/order-details.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { NOTHING_SEEN } from '../../../src/features/cert-orders/rules/related.ts'

/** What the views show besides an order: one that needs one approval, and that nothing else touches. */
export const createDetails = (different: Partial<OrderDetails> = {}): OrderDetails => ({
  policy: DEFAULT_POLICY,
  judgment: { decision: 'allow', approvals: 1, reasons: [] },
  hasRequesterLeft: false,
  now: new Date('2026-03-01T12:00:00.000Z'),
  people: new Map(),
  duplicates: [],
  comparison: { previousOrder: undefined, isCertificateUnknown: false, related: [], saw: NOTHING_SEEN },
  ...different,
})
