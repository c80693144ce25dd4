import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type DatabaseTime,
  hasLease,
  isDecrypted,
  type Rows,
  readTime,
  type Sealer,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { ListedOrder, NewOrder, Order, OrderCards } from '../rules/order.ts'
import {
  createOrderWriter,
  type OrderEvent,
  orderLock,
  refuseDuplicate,
  sealedOrders,
} from './order-writer.ts'
import { countQuery, type OrderFilter, type OrderQuery, pageQuery } from './queries.ts'
import { ORDER_STEP } from './tables.ts'

export type StoredOrders = ReturnType<typeof createStoredOrders>

/** The rows of `cert_order` and `cert_order_event`. Reading a single order throws SealError if its content can't be decrypted. */
export function createStoredOrders(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  appendAudit: AppendAudit,
) {
  const { rows, reading, withLock } = database
  const writer = createOrderWriter(time, keys)
  const listWithUndecryptable = async (query: OrderQuery): Promise<ListedOrder[]> =>
    await sealedOrders.readAll(keys, await pageQuery(reading, query).execute())

  return {
    /** Orders use the database's clock, which is the same for all processes. */
    readTime: (): Promise<Date> => readTime(rows, time),

    async find(workspaceId: string, number: number): Promise<Order | undefined> {
      if (!Number.isSafeInteger(number)) return undefined
      const found = await selectRows(rows, 'cert_order', {
        workspace_id: workspaceId,
        number,
      }).executeTakeFirst()
      return sealedOrders.readOne(keys, found)
    },

    async get(id: string): Promise<Order | undefined> {
      return sealedOrders.readOne(keys, await selectRows(rows, 'cert_order', { id }).executeTakeFirst())
    },

    /** The order that was requested in the interaction with this reference. */
    findByReference: (workspaceId: string, reference: string): Promise<Order | undefined> =>
      findRowByReference(rows, workspaceId, reference, keys),

    /** Newest first. Leaves out orders that can't be decrypted. */
    async list(query: OrderQuery): Promise<Order[]> {
      return (await listWithUndecryptable(query)).filter(isDecrypted)
    },

    /** Newest first, including orders that can't be decrypted. */
    listWithUndecryptable,

    async count(filter: OrderFilter): Promise<number> {
      const { total } = await countQuery(reading, filter).executeTakeFirstOrThrow()
      return Number(total)
    },

    /** Every step of an order, oldest first. */
    async listEvents({ id }: Pick<Order, 'id'>): Promise<OrderEvent[]> {
      const found = await selectRows(rows, 'cert_order_event', { order_id: id }).orderBy('version').execute()
      return found.map(ORDER_STEP.parse)
    },

    /** Throws UserError while an order with this key, or for this certificate, is open. */
    refuseWhileOpen: (order: Order): Promise<void> => refuseDuplicate(rows, order),

    /** Throws UserError if sending this order could create a second one for the same certificate. */
    refuseDuplicate: (order: Order): Promise<void> => refuseDuplicate(rows, order, order),

    /**
     * Stores a new order, its first event, and its follow-up work (ORDER_WORK). Durable when this returns. If this interaction
     * already created an order, returns that one.
     */
    add: (order: NewOrder, event: OrderEvent): Promise<Order> =>
      withLock(orderLock(order.workspaceId), async (transaction) => {
        const existing = await findRowByReference(transaction, order.workspaceId, event.reference, keys)
        return existing ?? (await writer.insert(transaction, order, event))
      }),

    /**
     * Stores the next state of an order, its event, its audit row, and its follow-up work. Durable when this returns. Returns
     * undefined and writes nothing if someone changed the order after `next.version`.
     */
    saveStep: (next: Order, event: OrderEvent, auditEvent?: AuditEvent): Promise<Order | undefined> =>
      rows.transaction().execute(async (transaction) => {
        const saved = await writer.update(transaction, next, event)
        if (saved && auditEvent) await appendAudit(transaction, auditEvent)
        return saved
      }),

    /**
     * Like `saveStep`, for an approval, which sends the order. Serialized per workspace. Throws UserError and writes nothing if sending
     * the order could create a second one for the same certificate.
     */
    approve: (next: Order, event: OrderEvent): Promise<Order | undefined> =>
      withLock(orderLock(next.workspaceId), async (transaction) => {
        await refuseDuplicate(transaction, next, next)
        return await writer.update(transaction, next, event)
      }),

    storeCards: storeCards(database),

    /** Counts the orders of all workspaces whose outcome is unknown. */
    async countUnknown(): Promise<number> {
      const { count } = await reading
        .selectFrom('cert_order')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('state', '=', 'unknown')
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

/**
 * Stores the locations of an order's cards. Returns false and writes nothing if `owner` has lost the lease of the order's
 * notification work.
 */
const storeCards =
  ({ kind, rows }: Database) =>
  (
    { id }: Pick<Order, 'id'>,
    cards: OrderCards,
    { workId, owner }: { workId: string; owner: string },
  ): Promise<boolean> =>
    rows.transaction().execute(async (transaction) => {
      // Lock the order first, as every step does, to avoid deadlocks.
      const order = transaction.selectFrom('cert_order').select('id').where('id', '=', id)
      await (kind === 'postgres' ? order.forUpdate() : order).execute()
      if (!(await hasLease(transaction, workId, owner))) return false
      await updateRows(transaction, 'cert_order', { id }, { cards: JSON.stringify(cards) })
      return true
    })

async function findRowByReference(
  rows: Rows,
  workspaceId: string,
  reference: string | undefined,
  keys: Sealer,
): Promise<Order | undefined> {
  if (reference === undefined) return undefined
  const row = await rows
    .selectFrom('cert_order')
    .innerJoin('cert_order_event', 'cert_order_event.order_id', 'cert_order.id')
    .selectAll('cert_order')
    .where('cert_order_event.reference', '=', reference)
    .where('cert_order_event.version', '=', 1)
    .where('cert_order.workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return sealedOrders.readOne(keys, row)
}
