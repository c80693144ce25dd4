import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { findChangedVerdicts } from '../../../src/features/cert-orders/changed-verdicts.ts'
import { buildNewOrder } from '../../../src/features/cert-orders/new-order.ts'
import type { OrderContent } from '../../../src/features/cert-orders/rules/order.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { quickOrLong } from '../../long.ts'
import { WORKSPACE } from '../../world.ts'
import { addOrder, modalShows, requestOrder, startOrders, waitForDirectMessage } from './order-helpers.ts'
import { exampleRequest } from './order-process.ts'

/** More than the orders that one search reads at once. */
const WAITING = quickOrLong('WAITING_ORDERS', { quick: 210, long: 502 })

it('asks before a policy is saved that blocks waiting orders, and then tells their requesters', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await addOrder(world, member)
  const readDomains = async () => (await world.app.store.settings.get(WORKSPACE, ORDER_POLICY)).domains
  await admin.command('/cert-order', 'policy', { until: ({ view }) => Boolean(view?.view.submit) })
  const { text } = await admin.submit(
    { 'Allowed domains': 'other.example' },
    { until: 'This policy blocks 1 waiting order: order 1' },
  )
  expect(text).toContain('Nothing was saved.')
  expect(await readDomains()).toEqual([])
  await admin.submit(
    { 'Allowed domains': 'other.example', 'Waiting orders': ['yes'] },
    { until: modalShows('Order policy saved.') },
  )
  expect(await readDomains()).toEqual(['other.example'])
  await waitForDirectMessage(member, 'The order policy no longer allows your order 1')
  await member.command('/cert-order', 'show 1', { until: 'under an allowed domain' })
})

it('counts every waiting order that a policy blocks, however many there are', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { orders } = store
  const now = await orders.readTime()
  for (let number = 1; number <= WAITING; number += 1) {
    const { environment, request, csr, names } = exampleRequest(`PO ${number}`)
    const where = { workspaceId: WORKSPACE, enterpriseId: undefined, environment }
    const order = { where, by: 'U1', request, csr, names, bodyHash: 'h', policy: DEFAULT_POLICY, now }
    await orders.add(buildNewOrder(order), { kind: 'request', at: now, userId: 'U1' })
  }
  const findRequester = async () => ({ hasLeft: false, hasRole: async () => true })
  const stricter = { ...DEFAULT_POLICY, domains: ['other.example'] }
  const changed = await findChangedVerdicts({ ...store, findRequester }, WORKSPACE, DEFAULT_POLICY, stricter)
  expect([changed.all.length, changed.blocked.length]).toEqual([WAITING, WAITING])
})

it('says which part of a new policy doesn’t apply to waiting orders, and that an order that expires first has no reminder', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await requestOrder(member)
  const find = async (number: number) => {
    const order = await world.app.store.orders.find(WORKSPACE, number)
    if (!order || !('content' in order)) throw new Error(`There is no order ${number}.`)
    const { expiresAt, remindAt } = order.content as OrderContent
    return {
      hours: (Date.parse(expiresAt) - order.createdAt.getTime()) / 3_600_000,
      isReminded: remindAt !== undefined,
    }
  }
  await admin.command('/cert-order', 'policy', { until: ({ view }) => Boolean(view?.view.submit) })
  const { view } = await admin.submit(
    { 'Expires after, in hours': '24', 'Reminder after, in hours': '24' },
    { until: modalShows('Order policy saved.') },
  )
  const text = JSON.stringify(view)
  expect(text).toContain('Orders expire after 24 h. Nobody is reminded.')
  expect(text).toContain('Those keep their expiry, their reminder, and where they were posted.')
  await requestOrder(member)
  expect([await find(1), await find(2)]).toEqual([
    { hours: 72, isReminded: true },
    { hours: 24, isReminded: false },
  ])
})
