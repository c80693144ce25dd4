import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { buildNewOrder, findRenewedOrder } from '../../../src/features/cert-orders/new-order.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { exampleRequest, WORKSPACE } from './order-process.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

it('finds the product of the renewed certificate, and none for an unknown certificate or a new order', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const where = { workspaceId: WORKSPACE, enterpriseId: undefined, environment: 'production' as const }
  const { request, csr, names } = exampleRequest('PO 1', 'a key', 'C-1')
  const order = { where, by: 'U1', request, csr, names, bodyHash: 'h', policy: DEFAULT_POLICY, now: NOW }
  await store.orders.add(
    {
      ...buildNewOrder({ ...order, renewed: { productId: '101', product: undefined } }),
      state: 'received',
      receivedAt: NOW,
    },
    { kind: 'request', at: NOW },
  )
  const deps = { orders: store.orders }
  const find = (certificateId?: string) =>
    findRenewedOrder(deps, where, exampleRequest('PO 2', 'another key', certificateId).request)
  expect(await find('C-1')).toEqual({ productId: '101', product: undefined })
  expect(await find('C-2')).toBeUndefined()
  expect(await find()).toBeUndefined()
})
