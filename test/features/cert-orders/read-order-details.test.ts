import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { buildNewOrder } from '../../../src/features/cert-orders/new-order.ts'
import { compareOrder } from '../../../src/features/cert-orders/read-order-details.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import {
  describeChanges,
  listChanges,
  listComparisonWarnings,
} from '../../../src/features/cert-orders/views/comparison.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { createDetails } from './details.ts'
import { exampleRequest } from './order-process.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const CSR = exampleRequest('PO 1').csr

interface OrderFields {
  pem?: string
  keyHash?: string
  names?: readonly string[]
  certificateId?: string
  organizationId?: string
  duration?: string
  product?: string
}

function createOrder({ pem = 'one', keyHash = 'k1', names = ['DNS a.com'], product, ...rest }: OrderFields) {
  const request = { action: 'create', csr: pem, duration: '1 year', ...rest }
  return buildNewOrder({
    where: { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' },
    by: 'U1',
    request,
    csr: {
      ...CSR,
      subjectParts: [],
      names: names.map((name) => ({ kind: 'DNS', text: name.replace('DNS ', '') })),
      keyHash,
    },
    names: { product },
    bodyHash: 'h',
    policy: DEFAULT_POLICY,
    now: NOW,
  })
}

describe.each(SHARED_DATABASES)('an order compared with earlier ones, in $name', ({ start }) => {
  it('is matched by CSR, key, and certificate, and its changes are listed', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const orders = store.orders
    const add = (fields: OrderFields): Promise<Order> =>
      orders.add(createOrder(fields), { kind: 'request', at: NOW })
    const event = { kind: 'any', at: NOW }
    const first = await add({ certificateId: '900', names: ['DNS a.com', 'DNS b.com'], organizationId: '1' })
    if (first.state !== 'awaiting') throw new Error('The order must await approval.')
    const submission = { by: 'U2', at: NOW.toISOString() }
    const sent: Order = { ...first, state: 'submitting', content: { ...first.content, submission } }
    const moved = await orders.saveStep(sent, event)
    const outcome = { kind: 'received' as const, answered: { answer: '' } }
    if (moved?.state !== 'submitting') throw new Error('The order must be submitting.')
    await orders.saveStep({ ...moved, state: 'received', content: { ...moved.content, outcome } }, event)
    const second = await add({ pem: 'two' })
    await orders.saveStep({ ...second, state: 'withdrawn', wakeAt: undefined } as Order, event)
    await add({ pem: 'three', keyHash: 'k2' })
    const renewal = await add({
      certificateId: '900',
      names: ['DNS A.com', 'DNS c.com'],
      organizationId: '2',
      duration: '2 years',
    })

    const found = await compareOrder({ orders }, renewal)
    expect(found.previousOrder?.number).toBe(1)
    expect(found.related.map(({ order, relation }) => [order.number, relation])).toEqual([
      [3, 'some names'],
      [2, 'key'],
      [1, 'CSR'],
    ])
    expect([...listComparisonWarnings(renewal, found), ...describeChanges(renewal, found)]).toEqual([
      '⚠️ Other orders with the same CSR: order 1 (received).',
      '⚠️ Other orders with the same key: order 2 (withdrawn).',
      '⚠️ Other orders with some of the names: order 3 (waiting for approval).',
      [
        'Changes from order 1:',
        'New names: c.com',
        'Removed names: b.com',
        'The key is the same.',
        'Duration: 1 year → 2 years',
        'Organization: 1 → 2',
      ].join('\n'),
    ])
    // Both ways, whatever the number.
    expect(
      (await compareOrder({ orders }, first)).related.map(
        ({ order }) => order.number,
      ),
    ).toEqual([4, 3, 2])
  })
})

it('compares names case-insensitively', () => {
  const [previousOrder, order] = [
    createOrder({ names: ['DNS A.com', 'DNS b.com'] }),
    createOrder({ names: ['DNS a.COM', 'DNS c.com'] }),
  ].map((fields, index) => ({ ...fields, number: index + 1 }) as Order)
  if (!previousOrder || !order) throw new Error('Both orders must exist.')
  expect(listChanges(order, previousOrder)).toEqual([
    { label: 'What changes against order 1', values: ['+ c.com, − b.com, same key'] },
  ])
})

it('lists the changes of a renewal without what its own values say, and names that could imitate a change apart', () => {
  const earlier = { ...createOrder({ organizationId: '1' }), number: 9 } as Order
  const order = {
    ...createOrder({ organizationId: '2', keyHash: 'k2', names: ['DNS a.com', 'DNS b.com, same key'] }),
    number: 12,
  } as Order
  expect(listChanges(order, earlier)).toEqual([
    {
      label: 'What changes against order 9',
      values: ['1 new and 0 removed names, new key, other organization'],
    },
    { label: 'New name', values: ['b.com, same key'] },
    { label: 'Removed name', values: [] },
    { label: 'Organization in order 9', values: ['1'] },
  ])
  expect(listChanges(order, order)).toEqual([
    { label: 'What changes against order 12', values: ['same names, same key'] },
  ])
})

describe('the question about a product’s name', () => {
  it.each([
    {
      product: 'Domain validated, one name',
      names: ['DNS a.com', 'DNS b.com'],
      expected: 'is for one name, and the request has 2',
    },
    {
      product: 'Single-domain SSL',
      names: ['DNS a.com', 'DNS b.com', 'DNS c.com'],
      expected: 'the request has 3',
    },
    { product: 'Domain validated, one name', names: ['DNS a.com', 'DNS www.a.com'], expected: undefined },
    {
      product: 'Domain validated, wildcard',
      names: ['DNS a.com', 'DNS b.com'],
      expected: 'is for a wildcard, and the request has none',
    },
    { product: 'Domain validated, wildcard', names: ['DNS *.a.com'], expected: undefined },
    { product: 'One-name DV', names: ['DNS *.a.com'], expected: 'the request has a wildcard' },
    { product: 'Multi-domain', names: ['DNS a.com', 'DNS b.com'], expected: undefined },
  ])('compares it with the names: $product with $names', ({ product, names, expected }) => {
    const order = { ...createOrder({ product, names }), number: 1 } as Order
    const warnings = listComparisonWarnings(order, createDetails().comparison)
    expect(warnings).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)])
  })
})
