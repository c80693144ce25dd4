import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'
import {
  findOrderState,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  requestOrder,
  setPolicy,
  startOrders,
} from './order-helpers.ts'

it('sends an order once, even if replicas handle the same approval or concurrent approvals', async () => {
  using folder = makeFolder()
  const environment = {
    DATABASE_URL: `sqlite:${join(folder.path, 'signalman.db')}`,
    ENCRYPTION_KEYS: KEY_A,
  }
  await using world = await startOrders({}, { environment })
  await using second = await startApp({
    budgets: UNLIMITED,
    requestDeadlines: LONG_DEADLINES,
    config: world.config,
    log: createLog('silent'),
  })
  const { member, admin } = world.slack
  await requestOrder(member)
  await admin.command('/cert-order', 'approve 1', UNTIL_FORM)
  await admin.submit({}, { until: modalShows('was received') })
  const [sent] = (await world.slack.deliveries('view_submission')).slice(-1)
  world.playground.setAppUrl(second.url)
  await world.slack.redeliver(sent?.id ?? '', 3)
  await admin.close({ all: true })
  expect((await admin.command('/cert-order', 'show 1', { until: 'Refresh' })).text).toContain(
    '📨 Order 1 was received',
  )
  expect(await listPlacedOrders(world)).toHaveLength(1)

  await requestOrder(member)
  // Otherwise, the member can't approve their own request.
  await setPolicy(world, { direct: true })
  await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'delay', ms: 200 })
  for (const approver of [member, admin])
    await approver.command('/cert-order', 'approve 2', { until: modalShows('Approve order 2') })
  const adminApproval = admin.submit({}, { until: /was received|no longer waiting for a decision/ })
  world.playground.setAppUrl(world.app.url)
  const memberApproval = member.submit({}, { until: /was received|no longer waiting for a decision/ })
  const texts = (await Promise.all([adminApproval, memberApproval])).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('no longer waiting for a decision'))).toHaveLength(1)
  expect(await findOrderState(world, 2)).toBe('received')
  expect(await world.service.requests('POST')).toHaveLength(2)
  expect(await listPlacedOrders(world)).toHaveLength(2)
})
