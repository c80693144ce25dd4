import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'
import { listPlacedOrders, modalShows, requestOrder, startOrders } from './order-helpers.ts'

it('sends an order once, even if replicas handle the same approval', async () => {
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
})
