import {
  type DatabaseTime,
  type Rows,
  type Sealer,
  schedule,
  sealedRows,
  unschedule,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { findDue } from '../rules/lifecycle.ts'
import type { NewOrder, Order, OrderContent } from '../rules/order.ts'
import { createAlreadySentError, createStillOpenError } from '../rules/refusals.ts'
import { duplicateQuery } from './queries.ts'
import {
  CERT_ORDER,
  CERT_ORDER_EVENT,
  CERT_ORDER_TABLE,
  type CertOrderRow,
  type ORDER_STEP,
  ORDER_WITHOUT_CARDS,
} from './tables.ts'

/** The kinds of durable work that a step schedules. Each is keyed by the order's ID. */
export const ORDER_WORK = {
  notice: 'order.notice',
  /** Sends a reminder, or expires the order. */
  due: 'order.due',
  /** Sends the order's POST, at most once. */
  submit: 'order.submit',
} as const

export type OrderEvent = Parameters<typeof ORDER_STEP.toRow>[0]

export const sealedOrders = sealedRows(CERT_ORDER_TABLE, {
  toPlain(row: CertOrderRow) {
    const { sealedContent: _, ...order } = CERT_ORDER.parse(row)
    return order
  },
  // Cast, because only this feature writes the sealed content.
  parseContent: (text) => ({ content: JSON.parse(text) as OrderContent }),
})

function toOrderRow(order: Order, sealer: Sealer): Omit<CertOrderRow, 'cards'> {
  const { workspaceId, id, content } = order
  return ORDER_WITHOUT_CARDS.toRow({
    ...order,
    sealedContent: sealedOrders.seal(content, [workspaceId, id], sealer),
  })
}

/** Stores orders with their events and their follow-up work, in the caller's transaction. */
export function createOrderWriter(time: DatabaseTime, sealer: Sealer) {
  /** Stores a new order. Throws UserError while another one for its key or certificate is open. */
  async function insert(rows: Rows, order: NewOrder, event: OrderEvent): Promise<Order> {
    await refuseDuplicate(rows, order)
    // Cast, because the content is as its type says.
    const stored = {
      ...order,
      id: newId(),
      number: await findNextNumber(rows, order),
      version: 1,
      updatedAt: order.createdAt,
      cards: [],
    } as Order
    await rows
      .insertInto('cert_order')
      .values({ ...toOrderRow(stored, sealer), cards: '[]' })
      .execute()
    await addEvent(rows, stored, event)
    await scheduleFollowUp(rows, stored)
    return stored
  }

  /** Schedules the work in the step's transaction, so a step is never stored without its follow-up work. */
  async function scheduleFollowUp(rows: Rows, order: Order): Promise<void> {
    const { id, workspaceId, state } = order
    const toWork = (kind: string) => ({ workspaceId, kind, key: id })
    await schedule(rows, time, toWork(ORDER_WORK.notice))
    const due = findDue(order)
    if (due) await schedule(rows, time, toWork(ORDER_WORK.due), due)
    else await unschedule(rows, toWork(ORDER_WORK.due))
    if (state === 'submitting') await schedule(rows, time, toWork(ORDER_WORK.submit))
  }

  /** Stores the next state of an order. Returns undefined and writes nothing if someone changed the order after `next.version`. */
  async function update(rows: Rows, next: Order, event: OrderEvent): Promise<Order | undefined> {
    const saved = { ...next, version: next.version + 1, updatedAt: event.at }
    const { id, workspace_id, number, created_at, ...changed } = toOrderRow(saved, sealer)
    const expectedVersion = { id, version: next.version }
    if ((await updateRows(rows, 'cert_order', expectedVersion, changed)) === 0) return undefined
    await addEvent(rows, saved, event)
    await scheduleFollowUp(rows, saved)
    return saved
  }

  return { insert, update }
}

/** Call only in a decision, of which a workspace has one at a time. */
async function findNextNumber(rows: Rows, { workspaceId }: Pick<NewOrder, 'workspaceId'>): Promise<number> {
  const { last } = await rows
    .selectFrom('cert_order')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0) + 1
}

/**
 * Throws UserError while another order for the same key or certificate is open in this environment. `sent`: the order, if it's about to be
 * sent. Then also throws if the service has received another one since it was requested. Only reliable in a decision, of which a workspace has one at a time.
 */
export async function refuseDuplicate(
  rows: Rows,
  {
    workspaceId,
    environment,
    keyHash,
    renewsId,
  }: Pick<Order, 'workspaceId' | 'environment' | 'keyHash' | 'renewsId'>,
  sent?: Order,
): Promise<void> {
  // Two queries, because each uses its own index. A single query would read all orders of the workspace.
  for (const [shared, filter] of [
    ['key', { keyHash }],
    ['certificate', { renewsId }],
  ] as const) {
    if (shared === 'certificate' && renewsId === undefined) continue
    const where = { workspaceId, environment, ...filter }
    const found = await duplicateQuery(rows, where, sent).executeTakeFirst()
    if (found)
      throw sent && found.state === 'received'
        ? createAlreadySentError(found, sent, shared)
        : createStillOpenError(found, environment, shared)
  }
}

async function addEvent(rows: Rows, { id, workspaceId, version }: Order, event: OrderEvent): Promise<void> {
  const row = CERT_ORDER_EVENT.toRow({ orderId: id, workspaceId, version, ...event })
  await rows.insertInto('cert_order_event').values(row).execute()
}
