import { buildNewOrder, type RequestedOrder } from '../../../src/features/cert-orders/order-service.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import type { OrderDetails } from '../../../src/features/cert-orders/rules/review.ts'
import { ACCOUNT, exampleRequest } from './order-process.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')

export const createOrder = (requested: RequestedOrder = exampleRequest('PO 1')): Order => ({
  ...buildNewOrder(requested, {
    ...{ workspaceId: 'T1', requesterId: 'U1', bodyHash: 'h', now: NOW },
    account: ACCOUNT,
  }),
  ...{ id: 'i', number: 1, version: 1, updatedAt: NOW, cards: [] },
})

export const createDetails = (different: Partial<OrderDetails> = {}): OrderDetails => ({
  now: NOW,
  people: new Map(),
  domains: [],
  similar: [],
  ...different,
})
