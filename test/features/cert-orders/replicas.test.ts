import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { PATIENT_APP, UNLIMITED } from '../../patience.ts'
import {
  findOrderState,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  requestOrder,
  setPolicy,
  startOrders,
} from './people.ts'

it('sends an order once if two replicas get the same approval, or two approvals at the same time', async () => {
  using folder = makeFolder()
  const environment = {
    DATABASE_URL: `sqlite:${join(folder.path, 'signalman.db')}`,
    ENCRYPTION_KEYS: KEY_A,
  }
  await using world = await startOrders({}, { environment })
  await using second = await startApp({
    budgets: UNLIMITED,
    answerTimes: PATIENT_APP,
    config: world.config,
    log: createLog('silent'),
  })
  const { member, admin } = world.slack
  await requestOrder(member)
  await admin.command('/cert-order', 'approve 1')
  await admin.submit({}, { until: modalShows('is placed') })
  const [sent] = (await world.slack.deliveries('view_submission')).slice(-1)
  world.playground.setAppUrl(second.url)
  await world.slack.redeliver(sent?.id ?? '', 3)
  await admin.close({ all: true })
  expect((await admin.command('/cert-order', 'show 1')).text).toContain('🟢 Order 1 is placed')
  expect(await listPlacedOrders(world)).toHaveLength(1)

  await requestOrder(member)
  await setPolicy(world, { direct: true })
  await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'delay', ms: 200 })
  for (const approver of [member, admin])
    await approver.command('/cert-order', 'approve 2', { until: modalShows('Approve order 2') })
  const adminApproval = admin.submit({}, { until: /is placed|no longer waiting for a decision/ })
  world.playground.setAppUrl(world.app.url)
  const memberApproval = member.submit({}, { until: /is placed|no longer waiting for a decision/ })
  const texts = (await Promise.all([adminApproval, memberApproval])).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('no longer waiting for a decision'))).toHaveLength(1)
  expect(await findOrderState(world, 2)).toBe('placed')
  expect(await world.service.requests('POST')).toHaveLength(2)
  expect(await listPlacedOrders(world)).toHaveLength(2)
})
