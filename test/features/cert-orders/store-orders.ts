import type { Transaction } from 'kysely'
import type { Schema } from '../../../packages/durable/src/database/schema.ts'
import type { Durable } from '../../../packages/durable/src/durable.ts'
import type { Store } from '../../../src/app/store.ts'
import type { OrderEvent } from '../../../src/features/cert-orders/rows/order-writer.ts'
import type { NewOrder, Order } from '../../../src/features/cert-orders/rules/order.ts'

/** Changes orders as a person's decision does. `openStore` also returns the database, which features don't see. */
function decide<T>(
  store: Pick<Store, 'orders'>,
  workspaceId: string,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const { database } = store as Pick<Durable, 'database'> & typeof store
  return database.withLock(workspaceId, work)
}

export const addOrder = (store: Pick<Store, 'orders'>, order: NewOrder, event: OrderEvent): Promise<Order> =>
  decide(store, order.workspaceId, (transaction) => store.orders.insert(transaction, order, event))

export const saveApproval = (
  store: Pick<Store, 'orders'>,
  next: Order,
  event: OrderEvent,
): Promise<Order | undefined> =>
  decide(store, next.workspaceId, async (transaction) => {
    await store.orders.refuseDuplicate(next, transaction)
    return store.orders.update(transaction, next, event)
  })
