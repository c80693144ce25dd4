import { expect, it } from 'vitest'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { isReplaced, listReviewNotes } from '../../../../src/features/cert-orders/rules/review.ts'
import { exampleRequest } from '../order-process.ts'

it('names other orders for its key and for its names in one line each', () => {
  const { request, csr } = exampleRequest('PO 1')
  const similar = [7, 6, 5, 4, 3, 2, 1].map((number) => ({
    ...{ number, state: 'received' as const },
    shared: number === 6 ? ('key' as const) : ('name' as const),
  }))
  const details = { domains: [], similar, now: new Date('2025-01-01') }
  const review = (certificateId?: string) =>
    listReviewNotes(
      { number: 8, content: { csr, request: { ...request, certificateId }, names: {}, expiresAt: '' } },
      details,
    )
  const sameNotes = [
    '⚠️ Same key: order 6 (received).',
    '⚠️ Same name: order 7 (received), order 5 (received), order 4 (received), order 3 (received), order 2 (received), and 1 more.',
  ]
  expect(review()).toEqual(sameNotes)
  for (const id of ['8', '800', 'C-7']) expect(review(id)).toEqual(sameNotes)
  expect(review('7')).toEqual([
    '⚠️ 7 is also the number of an order here. Is it the ID of a certificate?',
    ...sameNotes,
  ])
})

// Cast: only these parts are read.
const createOrder = (number: number, ...hosts: string[]): Order =>
  ({
    number,
    content: { csr: { subjectParts: [], names: hosts.map((text) => ({ kind: 'DNS', text })) } },
  }) as unknown as Order

it.each([
  {
    what: 'a later order with all of its names',
    later: createOrder(2, 'b.example', 'A.example', 'c.example'),
    is: true,
  },
  { what: 'a later order with some of them', later: createOrder(2, 'a.example', 'c.example'), is: false },
  { what: 'an earlier order', later: createOrder(0, 'a.example', 'b.example'), is: false },
  { what: 'itself', later: createOrder(1, 'a.example', 'b.example'), is: false },
])('an order is replaced by $what: $is', ({ later, is }) => {
  expect(isReplaced(createOrder(1, 'a.example', 'b.example'), [later])).toBe(is)
})
