import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { createOrderNotifier, type NotifierDeps } from '../../../src/features/cert-orders/order-notifier.ts'
import { createOrderTimerWork } from '../../../src/features/cert-orders/order-timer.ts'
import { ORDER_WORK } from '../../../src/features/cert-orders/rows/order-writer.ts'
import type { StoredOrders } from '../../../src/features/cert-orders/rows/orders.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { eitherOf } from '../../long.ts'

const HANGING_WORKSPACES = Array.from({ length: 40 }, (_, index) => `T${index}`)

it.each(eitherOf(SHARED_DATABASES))(
  'runs the timer of an order while notifications to 40 workspaces hang, on $name',
  async ({ start }) => {
    await using store = await startStore(start)
    const hanging = Promise.withResolvers<undefined>()
    const triedOrderIds: string[] = []
    const notificationKind = createOrderNotifier({
      posting: {},
      orders: {
        get(id: string) {
          triedOrderIds.push(id)
          return hanging.promise
        },
      },
    } as unknown as NotifierDeps)
    const timerKind = createOrderTimerWork({ get: async () => undefined } as unknown as StoredOrders)
    // One order for each workspace, with the same ID as its workspace.
    for (const workspaceId of HANGING_WORKSPACES)
      await store.work.schedule({ workspaceId, kind: ORDER_WORK.notice, key: workspaceId })
    await using _ = startEngine({
      store: store.work,
      kinds: [notificationKind, timerKind],
      log: createLog('silent'),
      times: { leaseMs: 15_000, pollMs: 50, retryMs: 20 },
    })
    await expect.poll(() => triedOrderIds.toSorted()).toEqual(HANGING_WORKSPACES.toSorted())
    const timerWork = { workspaceId: 'T-other', kind: ORDER_WORK.due, key: 'order' }
    const id = await store.work.add(timerWork, 'waiting')
    await expect.poll(async () => (await store.work.find('T-other', id))?.state).toBe('done')
    hanging.resolve(undefined)
  },
)
