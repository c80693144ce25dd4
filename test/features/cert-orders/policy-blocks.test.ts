import { expect, it } from 'vitest'
import { ORDER_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { WORKSPACE } from '../../world.ts'
import { modalShows, requestOrder, startOrders, waitForDirectMessage } from './order-helpers.ts'

it('asks before a policy is saved that blocks waiting orders, and then tells their requesters', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await requestOrder(member)
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
