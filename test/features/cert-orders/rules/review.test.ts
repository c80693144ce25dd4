import { expect, it } from 'vitest'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import {
  describeProduct,
  findSimilar,
  listReviewNotes,
} from '../../../../src/features/cert-orders/rules/review.ts'
import { createOrder } from '../details.ts'
import { exampleRequest } from '../order-process.ts'

it('names other orders for its key and for its names in one line each', () => {
  const { request, csr } = exampleRequest('PO 1')
  const similar = [7, 6, 5, 4, 3, 2, 1].map((number) => ({
    ...{ number, state: 'received' as const },
    shared: number === 6 ? ('key' as const) : ('name' as const),
  }))
  const details = { domains: [], similar, now: new Date('2025-01-01') }
  const content = { csr, request, names: {} }
  expect(listReviewNotes({ content }, details)).toEqual([
    '⚠️ Same key: order 6 (received).',
    '⚠️ Same name: order 7 (received), order 5 (received), order 4 (received), order 3 (received), order 2 (received), and 1 more.',
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

it('finds orders whose number or service ID was entered as a certificate ID, besides those with the same key or name', async () => {
  const order = createOrder()
  const { content } = order
  const earlier = (number: number, id?: string): Order => ({
    ...order,
    ...{ id: `i${number}`, number, state: 'received', keyHash: `k${number}` },
    content: { ...content, outcome: { kind: 'received', answered: { id, answer: '' } } },
  })
  const others = [order, earlier(7, '500001'), { ...earlier(6), keyHash: order.keyHash }, earlier(5)]
  const find = async (certificateId?: string) => {
    const entered = { ...order, content: { ...content, request: { ...content.request, certificateId } } }
    return (await findSimilar(entered, others)).map(({ number, shared }) => `${number} ${shared}`)
  }
  const same = ['7 name', '6 key', '5 name']
  for (const id of [undefined, '8', '50', 'C-7']) expect(await find(id)).toEqual(same)
  expect(await find('500001')).toEqual(['7 name', '7 ID', '6 key', '5 name'])
  expect(await find('6')).toEqual(['7 name', '6 key', '6 ID', '5 name'])
  others.push(earlier(4, 'ORD-4'))
  for (const id of ['ord-4', 'ORD-4']) expect(await find(id)).toContain('4 ID')
})

it('knows a certificate by its ID, whatever its case', () => {
  expect(createOrder(exampleRequest('PO 1', 'key', 'C-7')).renewsId).toBe('c-7')
})
