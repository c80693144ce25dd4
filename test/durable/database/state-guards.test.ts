import { describe, expect, it } from 'vitest'
import { migrate as migrateTo } from '../../../packages/durable/src/database/migrate.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore } from '../../../src/app/store.ts'
import {
  ORDER_STATES,
  type OrderState,
  orderTransitionRows,
} from '../../../src/features/cert-orders/rules/order-states.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const STATE_PAIRS = ORDER_STATES.flatMap((from) => ORDER_STATES.map((to) => ({ from, to })))

const buildOrder = (state: OrderState) => ({
  workspaceId: 'T1',
  enterpriseId: undefined,
  environment: 'production' as const,
  state,
  requesterId: 'U1',
  bodyHash: 'h',
  content: {},
  createdAt: NOW,
})

describe.each(SHARED_DATABASES)('orders in $name', ({ start }) => {
  it('can only change state as the order state table allows', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const event = { kind: 'any', at: NOW }
    const accepted: string[] = []
    for (const { from, to } of STATE_PAIRS) {
      const order = await store.orders.add(buildOrder(from), event)
      const moved = await store.orders.saveStep({ ...order, state: to }, event).catch((error: unknown) => {
        expect(String(error)).toContain('no such step of an order')
      })
      if (moved) accepted.push(`${from} ${to}`)
    }
    expect(accepted.toSorted()).toEqual(
      [...new Set(orderTransitionRows.map(({ from, to }) => `${from} ${to}`))].toSorted(),
    )
  })
})

describe.each(SHARED_DATABASES)('another version of the app on $name', ({ start }) => {
  it('doesn’t replace the triggers when it starts', async () => {
    await using database = await start()
    await using store = await openStore(database)
    {
      await using raw = await openDatabase(database.url)
      const tables = MODEL.tables.map((table) =>
        table.transitions ? { ...table, transitions: { ...table.transitions, pairs: [] } } : table,
      )
      const otherModel = { ...MODEL, tables }
      await raw.withExclusiveLock((transaction) => migrateTo(transaction, otherModel, NOW))
    }
    const event = { kind: 'any', at: NOW }
    const waiting = await store.orders.add(buildOrder('awaiting'), event)
    expect(await store.orders.saveStep({ ...waiting, state: 'expired' }, event)).toBeDefined()
    const placed = await store.orders.add(buildOrder('received'), event)
    await expect(store.orders.saveStep({ ...placed, state: 'awaiting' }, event)).rejects.toThrow(
      'no such step',
    )
  })
})
