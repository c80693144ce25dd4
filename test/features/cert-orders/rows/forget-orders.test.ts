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
  for (let n = 0; n < MANY; n++) {
    const order = {
      workspaceId: 'T1',
      enterpriseId: undefined,
      environment: 'production' as const,
      state: 'awaiting' as const,
      requesterId: 'U1',
      bodyHash: 'h',
      content: { request: { action: 'create', csr: 'the request itself', contacts: [] } },
      createdAt: NOW,
    }
    await store.orders.add(order, { kind: 'request', at: NOW, userId: 'U1' })
  }
}

/** The steps of `forgetWorkspace` on keys and orders, which the test runs one by one. */
async function startReplica(testDatabase: TestDatabase) {
  const database: Database = await openDatabase(testDatabase.url)
  const keys = workspaceKeysIn(database, testDatabase.keys)
  return {
    keys,
    retire: () => keys.retire(database.rows, 'T1', 'content'),
    empty: (by: WorkspaceKeys = keys) =>
      forgetOrders(
        { ...database, inTransaction: (work) => database.rows.transaction().execute(work) },
        by,
        'T1',
        NOW.toISOString(),
      ),
    destroy: () => keys.destroyRetired('T1', 'content'),
    async keysLeft() {
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
  expect(JSON.stringify(orders)).not.toContain('the request itself')
}

describe.each(SHARED_DATABASES)('orders that two replicas erase at the same time on $name', ({ start }) => {
  it('have no content left but are still readable if one replica finishes after the other changes the key and before it re-encrypts', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await addOrders(store)
    await using one = await startReplica(testDatabase)
    await using other = await startReplica(testDatabase)
    await one.retire()
    await one.empty()
    await other.retire()
    await one.destroy()
    await other.empty()
    await other.destroy()
    await expectAllEmptied(store)
    expect(await one.keysLeft()).toBe(1)
  })

  it('have no content left but are still readable if one replica finishes after the other reads a key and before it uses it', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await addOrders(store)
    await using one = await startReplica(testDatabase)
    await using other = await startReplica(testDatabase)
    let isFirst = true
    const finishOtherAfter =
      (getSealer: (workspaceId: string) => Promise<TextSealer>) => async (workspaceId: string) => {
        const sealer = await getSealer(workspaceId)
        if (!isFirst) return sealer
        isFirst = false
        await other.retire()
        await other.empty()
        await other.destroy()
        return sealer
      }
    const { ensureSealer } = one.keys
    await one.retire()
    await one.empty({ ...one.keys, ensureSealer: finishOtherAfter(ensureSealer) })
    await one.destroy()
    expect(isFirst).toBe(false)
    await expectAllEmptied(store)
    expect(await one.keysLeft()).toBe(1)
  })
})
