import {
  type Database,
  deleteIn,
  type InTransaction,
  rowsIn,
  type Schema,
  type TextSealer,
  updateIn,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import type { StoredOrder, UnopenedOrder } from '../rules/order.ts'
import type { OrderState } from '../rules/order-states.ts'
import { sealedContent, sealedOrders } from './row.ts'
import { orderTurn } from './writing.ts'

/** Orders per transaction. On SQLite, every other write waits for it. */
const BATCH = 20

/**
 * Ends what is open of a workspace's certificate orders, without a word to anybody, and takes the CSR, the contacts and the
 * service's answer out of all of them. Nothing is due or told of them any more. An order whose content does not open is
 * deleted. Requests are let in between; after a kill, the same call again goes on. Returns how many orders there were to
 * change.
 */
export async function forgetOrders(
  { kind, inTurn, inTransaction }: Database & { readonly inTransaction: InTransaction },
  keys: WorkspaceKeys,
  workspaceId: string,
  at: string,
): Promise<number> {
  // If the app is reinstalled meanwhile, new orders may be added. Wait for those in progress.
  const { end } = await inTurn(orderTurn(workspaceId), (transaction) =>
    transaction
      .selectFrom('cert_order')
      .select(({ fn }) => fn.max('number').as('end'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow(),
  )
  if (end === null) return 0
  let changed = 0
  let last: number | undefined = 0
  while (last !== undefined) {
    const after: number = last
    await keys.sealer(workspaceId)
    last = await inTransaction(async (transaction) => {
      const batch = rowsIn(transaction, 'cert_order', { workspace_id: workspaceId })
        .where('number', '>', after)
        .where('number', '<=', end)
        .orderBy('number')
        .limit(BATCH)
      // Whoever is taking a step of one of them is waited for. On SQLite the transaction shuts out every other writer.
      const found = await (kind === 'postgres' ? batch.forUpdate() : batch).execute()
      // With these held: another replica that forgets the workspace too has either sealed them anew, and the key in use is
      // its key, or waits, and will.
      const sealer = await keys.presentSealerIn(transaction, workspaceId)
      if (sealer === undefined) return after
      const orders = await sealedOrders.all(transaction, keys, found)
      for (const order of orders) if (await forgetOrder(transaction, sealer, order, at)) changed += 1
      return found.at(-1)?.number
    })
  }
  return changed
}

const BY = 'system'

const WHY = 'The app was taken out of the workspace.'

/** True when there was something to change. */
async function forgetOrder(
  transaction: Transaction<Schema>,
  sealer: TextSealer,
  order: StoredOrder | UnopenedOrder,
  at: string,
): Promise<boolean> {
  const { id } = order
  if ('unopened' in order) {
    await deleteIn(transaction, 'cert_order', { id })
    return true
  }
  // This feature alone writes it, hence of this type.
  const next = emptiedOrder(order.state, order.content as Emptied, at)
  const sealed_content = sealedContent(order, next.content, sealer)
  const isSame = JSON.stringify(next.content) === JSON.stringify(order.content)
  if (isSame && next.state === order.state && order.wakeAt === undefined) {
    // With the workspace's next key: the one that sealed it is destroyed.
    await updateIn(transaction, 'cert_order', { id }, { sealed_content })
    return false
  }
  const version = order.version + 1
  const ended = { state: next.state, version, updated_at: at, wake_at: null, sealed_content }
  await updateIn(transaction, 'cert_order', { id }, ended)
  const event = { order_id: id, version, at, user_id: BY, kind: 'forget', reference: null }
  await transaction.insertInto('cert_order_event').values(event).execute()
  return true
}

/** As much of an order's content as must be known to empty it. */
interface Emptied {
  request?: Record<string, unknown>
  outcome?: { placed?: Record<string, unknown>; answered?: Record<string, unknown> }
}

function emptiedOrder(
  state: OrderState,
  content: Emptied,
  at: string,
): { state: OrderState; content: object } {
  const request: Record<string, unknown> = { ...content.request, csr: '' }
  delete request.contacts
  const { placed, answered } = content.outcome ?? {}
  const emptied = {
    ...content,
    request,
    ...(placed && { outcome: { ...content.outcome, placed: { ...placed, answer: '' } } }),
    ...(answered && { outcome: { ...content.outcome, answered: { ...answered, answer: '' } } }),
  }
  if (state === 'awaiting')
    return { state: 'withdrawn', content: { ...emptied, ending: { by: BY, at, reason: WHY } } }
  // The service may already have it; whoever sent it still records the outcome.
  if (state === 'submitting')
    return { state: 'unknown', content: { ...emptied, outcome: { kind: 'unknown', why: WHY, said: [] } } }
  return { state, content: emptied }
}
