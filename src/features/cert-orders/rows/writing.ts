import {
  type DatabaseTime,
  type Rows,
  schedule,
  type TextSealer,
  unschedule,
  updateIn,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { NewOrder, StoredOrder } from '../rules/order.ts'
import { alreadyPlaced, stillOpen } from '../rules/refusals.ts'
import { duplicateQuery, openQuery } from './queries.ts'
import { type OrderEvent, toOrderRow } from './row.ts'
import { CERT_ORDER_EVENT } from './tables.ts'

/** The kinds of durable work that a step schedules, keyed by the order's ID. */
export const ORDER_WORK = {
  /** Notifies people about the step. */
  notice: 'order.notice',
  /** Sends a reminder, or expires the order. */
  due: 'order.due',
  /** Sends its POST, once. */
  submit: 'order.submit',
} as const

/** Serializes the numbering of a workspace's orders. */
export const orderTurn = (workspaceId: string): string => `certificate orders of ${workspaceId}`

/** Stores an order with its event and the work that follows, in the caller's transaction. */
export function orderWriter(time: DatabaseTime, sealer: TextSealer) {
  async function insert(rows: Rows, order: NewOrder, event: OrderEvent): Promise<StoredOrder> {
    await refuseWhileOpen(rows, order)
    const whole: StoredOrder = {
      ...order,
      id: newId(),
      number: await nextNumber(rows, order),
      version: 1,
      updatedAt: order.createdAt,
      cards: [],
    }
    await rows
      .insertInto('cert_order')
      .values({ ...toOrderRow(whole, sealer), cards: '[]' })
      .execute()
    await addEvent(rows, whole, event)
    await leaveToDo(rows, whole)
    return whole
  }

  /** Schedules a step's work in the step's transaction, so that every step is announced. */
  async function leaveToDo(rows: Rows, { id, workspaceId, wakeAt, state }: StoredOrder): Promise<void> {
    const work = (kind: string) => ({ workspaceId, kind, key: id })
    await schedule(rows, time, work(ORDER_WORK.notice))
    if (wakeAt) await schedule(rows, time, work(ORDER_WORK.due), wakeAt)
    else await unschedule(rows, work(ORDER_WORK.due))
    if (state === 'submitting') await schedule(rows, time, work(ORDER_WORK.submit))
  }

  async function write(rows: Rows, next: StoredOrder, event: OrderEvent): Promise<StoredOrder | undefined> {
    const moved = { ...next, version: next.version + 1, updatedAt: event.at }
    const { id, workspace_id, number, created_at, ...changed } = toOrderRow(moved, sealer)
    const read = { id, version: next.version }
    if ((await updateIn(rows, 'cert_order', read, changed)) === 0) return undefined
    await addEvent(rows, moved, event)
    await leaveToDo(rows, moved)
    return moved
  }

  return { insert, write }
}

/** Call only in the workspace's turn. */
export async function nextNumber(rows: Rows, { workspaceId }: NewOrder): Promise<number> {
  const { last } = await rows
    .selectFrom('cert_order')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0) + 1
}

/**
 * Throws UserError while an order with the same key, or for the same certificate, is open in this environment. Only reliable in
 * the workspace's turn.
 */
export async function refuseWhileOpen(
  rows: Rows,
  {
    workspaceId,
    environment,
    keyHash,
    renewsId,
  }: {
    workspaceId: string
    environment: Environment
    keyHash?: string | undefined
    renewsId?: string | undefined
  },
): Promise<void> {
  const where = { workspaceId, environment }
  // Two statements, so that each uses its own index. A single one would read all orders of the workspace.
  const ofKey = keyHash && (await openQuery(rows, { ...where, keyHash }).executeTakeFirst())
  if (ofKey) throw stillOpen(ofKey, 'key')
  const ofCertificate = renewsId && (await openQuery(rows, { ...where, renewsId }).executeTakeFirst())
  if (ofCertificate) throw stillOpen(ofCertificate, 'certificate')
}

/**
 * Throws UserError if sending this order could create a second one for the same certificate. Call only in the workspace's turn.
 */
export async function refuseDuplicate(rows: Rows, order: StoredOrder): Promise<void> {
  for (const shared of ['key', 'certificate'] as const) {
    if ((shared === 'key' ? order.keyHash : order.renewsId) === undefined) continue
    const rival = await duplicateQuery(rows, order, shared).executeTakeFirst()
    if (rival) throw rival.state === 'placed' ? alreadyPlaced(rival, order, shared) : stillOpen(rival, shared)
  }
}

async function addEvent(rows: Rows, { id, version }: StoredOrder, event: OrderEvent): Promise<void> {
  const row = CERT_ORDER_EVENT.row({ orderId: id, version, ...event })
  await rows.insertInto('cert_order_event').values(row).execute()
}
