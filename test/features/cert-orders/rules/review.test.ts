import { expect, it } from 'vitest'
import { listSimilar } from '../../../../src/features/cert-orders/read-details.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { describeProduct, listReviewNotes } from '../../../../src/features/cert-orders/rules/review.ts'
import { createOrder } from '../details.ts'
import { exampleRequest } from '../order-process.ts'

it('names other open orders for its names in one line', () => {
  const { request, csr } = exampleRequest('PO 1')
  const similar = [7, 5, 4, 3, 2, 1].map((number) => ({ number, state: 'awaiting' as const }))
  const details = { domains: [], similar, now: new Date('2025-01-01') }
  const content = { csr, request, names: {} }
  expect(listReviewNotes({ content }, details)).toEqual([
    `⚠️ Same name: ${[7, 5, 4, 3, 2].map((number) => `order ${number} (waiting for approval)`).join(', ')}, and 1 more.`,
  ])
})

const [APEX, PLAIN, OTHER, WILDCARD] = ['example.com', 'shop.example.com', 'www.example.com', '*.example.com']

it.each([
  { names: [PLAIN], product: 'Domain validated, one name', says: [] },
  { names: [PLAIN], product: 'Organization validated, up to 250 names', says: [] },
  { names: [PLAIN, OTHER], product: 'Domain validated, one name', says: ['⚠️', '2 names, none with'] },
  { names: [PLAIN, OTHER], product: 'Single domain SSL', says: ['⚠️', '2 names'] },
  { names: [APEX, OTHER], product: 'Single domain SSL', says: ['ℹ️', '2 names'] },
  { names: [APEX, WILDCARD], product: 'Single domain SSL', says: ['⚠️', '2 names, 1 with'] },
  { names: [APEX, OTHER, PLAIN], product: 'Single domain SSL', says: ['⚠️', '3 names'] },
  { names: [PLAIN, OTHER], product: 'Up to 250 names', says: ['ℹ️', '2 names'] },
  { names: [WILDCARD], product: 'Domain validated, one name', says: ['⚠️', '1 name, 1 with a wildcard'] },
  { names: [WILDCARD], product: 'Extended validation', says: ['ℹ️', '1 name, 1 with a wildcard'] },
  { names: [WILDCARD, PLAIN], product: 'Domain validated, wildcard', says: ['ℹ️', '2 names, 1 with'] },
  { names: [PLAIN, OTHER], product: 'Domain validated, wildcard', says: ['⚠️', 'none with a wildcard'] },
  { names: [WILDCARD, APEX], product: 'Wildcard for one domain', says: ['ℹ️', '2 names, 1 with'] },
  { names: [WILDCARD, 'example.org'], product: 'Single-domain wildcard', says: ['⚠️', '2 names'] },
  { names: [PLAIN], product: 'Wildcard', says: ['⚠️', '1 name, none with a wildcard'] },
  { names: [PLAIN, OTHER], product: undefined, says: ['ℹ️', '“101”', '2 names'] },
])(
  'sets the product beside $names.length names, so that no order for others looks usual: $product',
  (order) => {
    const { content } = createOrder()
    const names = order.names.map((text) => ({ kind: 'DNS', text }))
    const csr = { ...content.csr, subjectParts: [{ label: 'CN', text: 'Example Ltd.' }], names }
    const request = { ...content.request, productId: '101' }
    const notes = describeProduct({ csr, request, names: { product: order.product } })
    expect(notes).toHaveLength(order.says.length > 0 ? 1 : 0)
    for (const text of order.says) expect(notes.join()).toContain(text)
    expect(describeProduct({ csr, request: { ...request, productId: undefined }, names: {} })).toEqual([])
  },
)

it('finds other orders with one of its names, and not the order itself', async () => {
  const order = createOrder()
  const other = (number: number, reference = 'PO 1'): Order => ({
    ...createOrder(exampleRequest(reference)),
    ...{ id: `i${number}`, number },
  })
  async function* scan() {
    yield* [order, other(7), other(6, 'PO 6'), other(5)]
  }
  const list = async (of: Order) => (await listSimilar({ orders: { scan } }, of)).map(({ number }) => number)
  const { content } = order
  const names = exampleRequest('PO 6').csr.subjectParts.map(({ text }) => ({ kind: 'DNS', text }))
  expect(await list(order)).toEqual([7, 5])
  expect(await list({ ...order, content: { ...content, csr: { ...content.csr, names } } })).toEqual([7, 6, 5])
})

it('knows a certificate by its ID, whatever its case', () => {
  expect(createOrder(exampleRequest('PO 1', 'key', 'C-7')).renewsId).toBe('c-7')
})
