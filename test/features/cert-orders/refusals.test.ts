import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/features/cert-orders/order.ts'
import { refusalOf } from '../../../src/features/cert-orders/refusals.ts'
import { ORDER_STATES } from '../../../src/features/cert-orders/rules/order-states.ts'

const WORDS: Partial<Record<Order['state'], string>> = {
  awaiting: 'Order 1 has not been sent to the service yet: its state is “Awaiting approval”.',
  submitting: 'No answer of the service to order 1 is known yet: its state is “Being placed”.',
  rejected: 'Order 1 was never sent to the service: its state is “Rejected”.',
  withdrawn: 'Order 1 was never sent to the service: its state is “Withdrawn”.',
  expired: 'Order 1 was never sent to the service: its state is “Expired”.',
  placed: 'What became of order 1 is known by now: its state is “Placed”.',
  failed: 'What became of order 1 is known by now: its state is “Failed”.',
}

describe('what became of an order whose outcome is not in question', () => {
  it.each(ORDER_STATES.filter((state) => state !== 'unknown'))('%s', (state) => {
    // All that the words look at.
    const order = { number: 1, state } as Order
    expect(refusalOf(order, 'not-unknown').message).toBe(WORDS[state])
  })
})
