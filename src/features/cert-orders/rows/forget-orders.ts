import {
  type Database,
  deleteRows,
  type InTransaction,
  type Schema,
  selectRows,
  type TextSealer,
  updateRows,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import type { Order, UndecryptableOrder } from '../rules/order.ts'
import type { OrderState } from '../rules/order-states.ts'
import { orderLock, sealContent, sealedOrders } from './order-writer.ts'

/** Orders per transaction. Kept small, because on SQLite every other write waits for the transaction. */
const BATCH_SIZE = 20

/**
 * Forgets the orders of a workspace that uninstalled the app: ends its open orders without notifying anyone, removes the CSR, the
 * contacts, and the service's answer from all of its orders, and deletes those that can't be decrypted. Works in batches, so other requests
 * can run in between. After a crash, call it again to continue. Returns the number of changed orders.
 */
export async function forgetOrders(
  { kind, withLock, inTransaction }: Database & { readonly inTransaction: InTransaction },
  keys: WorkspaceKeys,
  workspaceId: string,
  at: string,
): Promise<number> {
  // Orders requested after a reinstall keep their content, so this stops at the order that is the last one now. The lock waits for
  // orders that are being added.
  const { end: lastNumber } = await withLock(orderLock(workspaceId), (transaction) =>
    transaction
      .selectFrom('cert_order')
      .select(({ fn }) => fn.max('number').as('end'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow(),
  )
  if (lastNumber === null) return 0
  let changed = 0
  let lastForgotten: number | undefined = 0
  while (lastForgotten !== undefined) {
    const after: number = lastForgotten
    await keys.ensureSealer(workspaceId)
    lastForgotten = await inTransaction(async (transaction) => {
      const batch = selectRows(transaction, 'cert_order', { workspace_id: workspaceId })
        .where('number', '>', after)
        .where('number', '<=', lastNumber)
        .orderBy('number')
        .limit(BATCH_SIZE)
      // Waits for steps in progress on these orders. On SQLite, the transaction already excludes other writers.
      const found = await (kind === 'postgres' ? batch.forUpdate() : batch).execute()
      // Found only after the orders are locked. If another replica is forgetting the workspace too, it has either already re-encrypted
      // these orders with this key or waits for the locks.
      const sealer = await keys.findSealer(transaction, workspaceId)
      // The key was retired in the meantime. Returning the same number creates a new key and reads this batch again.
      if (sealer === undefined) return after
      const orders = await sealedOrders.readAll(transaction, keys, found)
      for (const order of orders) if (await forgetOrder(transaction, sealer, order, at)) changed += 1
      return found.at(-1)?.number
    })
  }
  return changed
}

const SYSTEM_USER = 'system'

const APP_REMOVED = 'The app was removed from the workspace.'

/** Ends and empties one order, or deletes it if it can't be decrypted. Returns false if there was nothing to change. */
async function forgetOrder(
  transaction: Transaction<Schema>,
  sealer: TextSealer,
  order: Order | UndecryptableOrder,
  at: string,
): Promise<boolean> {
  const { id } = order
  if ('sealError' in order) {
    await deleteRows(transaction, 'cert_order', { id })
    return true
  }
  const next = clearOrder(order, at)
  const sealed_content = sealContent(order, next.content, sealer)
  const isSame = JSON.stringify(next.content) === JSON.stringify(order.content)
  if (isSame && next.state === order.state && order.wakeAt === undefined) {
    // Re-encrypts it with the workspace's new key, because the old one is being destroyed.
    await updateRows(transaction, 'cert_order', { id }, { sealed_content })
    return false
  }
  const version = order.version + 1
  const columns = { state: next.state, version, updated_at: at, wake_at: null, sealed_content }
  await updateRows(transaction, 'cert_order', { id }, columns)
  const event = { order_id: id, version, at, user_id: SYSTEM_USER, kind: 'forget', reference: null }
  await transaction.insertInto('cert_order_event').values(event).execute()
  return true
}

function clearOrder(
  { state, content }: Pick<Order, 'state' | 'content'>,
  at: string,
): { state: OrderState; content: object } {
  const { contacts: _, ...request } = { ...content.request, csr: '' }
  const { answered } = content.outcome ?? {}
  const emptied = {
    ...content,
    request,
    ...(answered && { outcome: { ...content.outcome, answered: { ...answered, answer: '' } } }),
  }
  if (state === 'awaiting')
    return {
      state: 'withdrawn',
      content: { ...emptied, ending: { by: SYSTEM_USER, at, reason: APP_REMOVED } },
    }
  // The service may already have this order. The process that sent it can still record the outcome.
  if (state === 'submitting')
    return {
      state: 'unknown',
      content: { ...emptied, outcome: { kind: 'unknown', why: APP_REMOVED, said: [] } },
    }
  return { state, content: emptied }
}
