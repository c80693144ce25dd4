import { expect, it } from 'vitest'
import { listCertificateNames } from '../../../../src/features/cert-orders/rules/host-names.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { isReplaced, listReviewNotes } from '../../../../src/features/cert-orders/rules/review.ts'
import { exampleRequest } from '../order-process.ts'

it('warns about a certificate ID that is a name in the request', () => {
  const { request, csr } = exampleRequest('PO 1', 'a', 'C-1')
  const [{ text: host = '' } = {}] = listCertificateNames(csr)
  const details = { domains: [], similar: [], now: new Date('2025-01-01') }
  const review = (certificateId: string) =>
    listReviewNotes(
      { content: { csr, request: { ...request, certificateId }, names: {}, expiresAt: '' } },
      details,
    )
  expect(review('C-1')).toEqual([])
  expect(review(host.toUpperCase())).toEqual([
    '⚠️ The certificate ID is a name in the request, not an ID that the service gave.',
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
