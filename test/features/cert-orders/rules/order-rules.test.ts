import { expect, it } from 'vitest'
import {
  confirmRestore,
  RESTORED,
  WHOLE_STORE,
} from '../../../../packages/durable/src/backup/backup-settings.ts'
import { askFor, inView, placed, startOrders } from '../people.ts'

it('orders nothing from a restored database until its operator has confirmed', async () => {
  await using world = await startOrders({ approvals: 1, direct: false })
  const { member, admin } = world.slack
  const { store } = world.app
  await askFor(member)
  const at = new Date().toISOString()
  await store.settings.set(WHOLE_STORE, RESTORED, { backup: 'b', madeAt: at, restoredAt: at })
  await admin.command('/cert-order', 'approve 1', { until: 'restored from a backup' })
  expect(await placed(world)).toEqual([])
  await confirmRestore(store, new Date())
  await admin.command('/cert-order', 'approve 1', { until: inView('Approve order 1') })
  await store.settings.set(WHOLE_STORE, RESTORED, { backup: 'b', madeAt: at, restoredAt: at })
  await admin.submit({}, { until: inView('restored from a backup') })
  expect(await placed(world)).toEqual([])
  await confirmRestore(store, new Date())
  await admin.submit({}, { until: inView('is placed') })
  expect(await placed(world)).toHaveLength(1)
  expect(
    await store.audit.search({ workspaceId: 'T0PLAYGRND', verb: 'store.restore', limit: 5 }),
  ).toHaveLength(2)
})
