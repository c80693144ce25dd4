import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import {
  approveOrder,
  findOrderState,
  listPlacedOrders,
  modalShows,
  requestOrder,
  startOrders,
} from './order-helpers.ts'

it('doesn’t take an approval while Slack can’t confirm the approver’s role', async () => {
  let aheadMs = 0
  await using world = await startOrders({}, { access: 'closed', now: () => new Date(Date.now() + aheadMs) })
  const { member, admin } = world.slack
  const { grants } = world.app.store
  await grants.add(WORKSPACE, 'approver', { kind: 'group', id: 'S0APPROVER' }, admin.id, new Date())
  await requestOrder(admin)
  await member.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  // The cached roles have expired.
  aheadMs = 2 * 60_000
  await world.slack.faults({ method: 'usergroups.users.list', kind: 'status', status: 503, times: 20 })
  await member.submit({}, { until: 'This needs the approver role' })
  expect(await findOrderState(world)).toBe('awaiting')
  await world.slack.faults()
  await member.close({ all: true })
  await approveOrder(member)
  expect(await listPlacedOrders(world)).toHaveLength(1)
})
