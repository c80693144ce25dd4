import { describe, expect, it } from 'vitest'
import {
  confirmRestore,
  RESTORED,
  WHOLE_STORE,
} from '../../../../packages/durable/src/backup/backup-settings.ts'
import { orderRepository } from '../../../../src/features/cert-orders/order.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import { askFor, inView, ORDERS, placed, setPolicy, startOrders } from '../people.ts'

it('orders nothing from a restored database until its operator has confirmed', async () => {
  await using world = await startOrders({ approvals: 1, direct: false })
  const { member, admin } = world.slack
  const { store } = world.app
  await askFor(member)
  const at = new Date().toISOString()
  await store.settings.set(WHOLE_STORE, RESTORED, { backup: 'b', madeAt: at, restoredAt: at })
  await admin.command('/cert-order', 'approve 1', { until: 'restored from a backup' })
  expect(await placed(world)).toEqual([])
  await confirmRestore(store.settings, new Date())
  await admin.command('/cert-order', 'approve 1', { until: inView('Approve order 1') })
  await store.settings.set(WHOLE_STORE, RESTORED, { backup: 'b', madeAt: at, restoredAt: at })
  await admin.submit({}, { until: inView('restored from a backup') })
  expect(await placed(world)).toEqual([])
  await confirmRestore(store.settings, new Date())
  await admin.submit({}, { until: inView('is placed') })
  expect(await placed(world)).toHaveLength(1)
})

describe('an order of unknown outcome is not placed again', () => {
  async function startUnknown() {
    const world = await startOrders()
    const { member, admin } = world.slack
    await askFor(member)
    await world.service.faults({ method: 'POST', path: ORDERS, kind: 'drop-reply', times: 1 })
    await admin.command('/cert-order', 'approve 1', { until: inView('Approve order 1') })
    await admin.submit({}, { until: inView('Nobody knows whether') })
    await admin.close({ all: true })
    return world
  }

  async function refused({ app, slack: { admin } }: World, says: string) {
    await admin.command('/cert-order', 'resolve 1 again', { until: inView('Order 1') })
    await admin.submit({}, { until: inView(says) })
    const orders = orderRepository(app.store.orders)
    expect(await orders.find(WORKSPACE, 1)).toMatchObject({ state: 'unknown' })
    expect(await orders.find(WORKSPACE, 2)).toBeUndefined()
  }

  it('where the rules deny by now what it asks for', async () => {
    await using world = await startUnknown()
    await setPolicy(world, { rules: 'deny "No more of these." always' })
    await refused(world, 'The rules for orders here deny this one: “No more of these.”')
  })

  it('once its request was deleted with all else of the workspace', async () => {
    await using world = await startUnknown()
    const orders = orderRepository(world.app.store.orders)
    const order = await orders.find(WORKSPACE, 1)
    if (!order) throw new Error('The order is gone.')
    const emptied = {
      ...order,
      content: { ...order.content, request: { ...order.content.request, csr: '' } },
    }
    // The same state with the same parts.
    await orders.move(emptied as typeof order, {
      kind: 'forget',
      at: new Date(),
      userId: 'system',
      reference: undefined,
    })
    await refused(world, 'was deleted when Signalman was taken out of the workspace')
  })
})
