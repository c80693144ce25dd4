import { describe, expect, it } from 'vitest'
import type { Database } from '../../../../packages/durable/src/database/database.ts'
import type { TextSealer } from '../../../../packages/durable/src/secrets/seal.ts'
import type { WorkspaceKeys } from '../../../../packages/durable/src/secrets/workspace-keys.ts'
import { openStore, type Store } from '../../../../src/app/store.ts'
import { forgetOrders } from '../../../../src/features/cert-orders/rows/forget-orders.ts'
import { SHARED_DATABASES, type TestDatabase, workspaceKeysIn } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
/** More than one batch. */
const MANY = 25

async function addOrders(store: Store): Promise<void> {
  for (let index = 0; index < MANY; index++) {
    const order = {
      workspaceId: 'T1',
      enterpriseId: undefined,
      environment: 'production' as const,
      state: 'awaiting' as const,
      requesterId: 'U1',
      bodyHash: 'h',
      content: {
        request: { action: 'create', csr: 'the request itself', contacts: [] },
        questions: [{ by: 'U2', at: '', text: 'the question itself' }],
      },
      createdAt: NOW,
    }
    await store.orders.add(order, { kind: 'request', at: NOW, userId: 'U1' })
  }
}

/** A replica that the test runs through the steps of `forgetWorkspace`, one by one. */
async function startReplica(testDatabase: TestDatabase) {
  const database: Database = await openDatabase(testDatabase.url)
  const keys = workspaceKeysIn(database, testDatabase.keys)
  return {
    keys,
    retireKeys: () => keys.retire(database.rows, 'T1', 'content'),
    emptyOrders: (usingKeys: WorkspaceKeys = keys) =>
      forgetOrders(
        { ...database, inTransaction: (work) => database.rows.transaction().execute(work) },
        usingKeys,
        'T1',
        NOW.toISOString(),
      ),
    destroyKeys: () => keys.destroyRetired('T1', 'content'),
    async countKeysLeft() {
      const remaining = database.rows
        .selectFrom('workspace_key')
        .select('id')
        .where('sealed_key', 'is not', null)
      return (await remaining.execute()).length
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function expectAllEmptied(store: Store): Promise<void> {
  const orders = await store.orders.list({ workspaceId: 'T1', limit: 50 })
  expect(orders).toHaveLength(MANY)
  expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['withdrawn']))
  expect(JSON.stringify(orders)).not.toMatch(/the (?:request|question) itself/)
}

describe.each(SHARED_DATABASES)('orders that two replicas erase at the same time on $name', ({ start }) => {
  it('are emptied and stay readable if one replica finishes between the other’s key change and its re-encryption', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await addOrders(store)
    await using first = await startReplica(testDatabase)
    await using second = await startReplica(testDatabase)
    await first.retireKeys()
    await first.emptyOrders()
    await second.retireKeys()
    await first.destroyKeys()
    await second.emptyOrders()
    await second.destroyKeys()
    await expectAllEmptied(store)
    expect(await first.countKeysLeft()).toBe(1)
  })

  it('are emptied and stay readable if one replica finishes while the other holds a key that it has read but not used', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await addOrders(store)
    await using first = await startReplica(testDatabase)
    await using second = await startReplica(testDatabase)
    let isFirst = true
    const finishOtherAfter =
      (getSealer: (workspaceId: string) => Promise<TextSealer>) => async (workspaceId: string) => {
        const sealer = await getSealer(workspaceId)
        if (!isFirst) return sealer
        isFirst = false
        await second.retireKeys()
        await second.emptyOrders()
        await second.destroyKeys()
        return sealer
      }
    const { ensureSealer } = first.keys
    await first.retireKeys()
    await first.emptyOrders({ ...first.keys, ensureSealer: finishOtherAfter(ensureSealer) })
    await first.destroyKeys()
    expect(isFirst).toBe(false)
    await expectAllEmptied(store)
    expect(await first.countKeysLeft()).toBe(1)
  })
})
