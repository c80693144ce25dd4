import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { listPlacedOrders, modalShows, requestOrder, startOrders } from './order-helpers.ts'

const FAULT = { method: 'usergroups.users.list', kind: 'status', status: 503, times: 20 } as const

it('keeps an approval while Slack can’t confirm the approver’s role', async () => {
  let aheadMs = 0
  await using world = await startOrders(
    { approvals: 2, direct: true },
    { access: 'closed', now: () => new Date(Date.now() + aheadMs) },
  )
  const { member, admin } = world.slack
  const { grants } = world.app.store
  await grants.add(WORKSPACE, 'approver', { kind: 'group', id: 'S0APPROVER' }, admin.id, new Date())
  await requestOrder(member, undefined, '1 of 2 approvals')
  // The cached roles have expired.
  aheadMs = 2 * 60_000
  await world.slack.faults(FAULT)
  await admin.command('/cert-order', 'approve 1', { until: 'Try again in a minute' })
  expect(await listPlacedOrders(world)).toEqual([])
  await world.slack.faults()
  await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  await admin.submit({}, { until: modalShows('was received') })
  expect(await listPlacedOrders(world)).toHaveLength(1)
})

it('keeps earlier approvals if Slack goes down after the modal opens and before it is submitted', async () => {
  let aheadMs = 0
  await using world = await startOrders(
    { approvals: 2, direct: true },
    { access: 'closed', now: () => new Date(Date.now() + aheadMs) },
  )
  const { member, admin } = world.slack
  const { grants, orders } = world.app.store
  await grants.add(WORKSPACE, 'approver', { kind: 'group', id: 'S0APPROVER' }, admin.id, new Date())
  await requestOrder(member, undefined, '1 of 2 approvals')
  await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  aheadMs = 2 * 60_000
  await world.slack.faults(FAULT)
  await admin.submit({}, { until: 'Try again in a minute' })
  expect((await orders.find(WORKSPACE, 1))?.content).toMatchObject({ approvals: [{ by: member.id }] })
  expect(await listPlacedOrders(world)).toEqual([])
})

it('doesn’t place an order if its approver just lost the role or can’t be verified', async () => {
  await using world = await startOrders({ approvals: 1, direct: true }, { access: 'closed' })
  const { member, admin } = world.slack
  const { grants } = world.app.store
  await grants.add(WORKSPACE, 'approver', { kind: 'group', id: 'S0APPROVER' }, admin.id, new Date())
  await requestOrder(member, undefined, 'was received')
  expect(await listPlacedOrders(world)).toHaveLength(1)
  for (const error of ['no_such_subteam', 'internal_error']) {
    await world.slack.faults({ method: 'usergroups.users.list', kind: 'error', error, times: 20 })
    await requestOrder(member)
  }
  expect(await listPlacedOrders(world)).toHaveLength(1)
})
