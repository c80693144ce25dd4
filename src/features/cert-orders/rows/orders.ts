import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type DatabaseTime,
  hasLease,
  isDecrypted,
  type LeasedWork,
  LeaseLost,
  type Rows,
  readTime,
  type Sealer,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { yieldWhenDue } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import type { ListedOrder, Order, OrderCards } from '../rules/order.ts'
import { createOrderWriter, type OrderEvent, refuseDuplicate, sealedOrders } from './order-writer.ts'
import { countQuery, type OrderFilter, type OrderQuery, pageQuery } from './queries.ts'
import { ORDER_STEP } from './tables.ts'

/** How many encrypted orders a scan holds in memory. */
const ROWS_AT_ONCE = 8

type Lease = Pick<LeasedWork, 'work' | 'owner'>

export type StoredOrders = ReturnType<typeof createStoredOrders>

/** The rows of `cert_order` and `cert_order_event`. Reading a single order throws SealError if its content can't be decrypted. */
export function createStoredOrders(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  appendAudit: AppendAudit,
) {
  const { rows, kind } = database
  const writer = createOrderWriter(time, keys)
  const listRows = (query: OrderQuery) => pageQuery(rows, query).execute()

  return {
    /** Orders use the database's clock, which is the same for all processes. */
    readTime: (from: Rows = rows): Promise<Date> => readTime(from, time),

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

    /** The order that a message is about. Without an index: 10,000 orders take 20 ms, and people approve each of them. */
    async findByMessage(workspaceId: string, { channelId, ts }: PostedMessage): Promise<Order | undefined> {
      const all = selectRows(rows, 'cert_order', { workspace_id: workspaceId })
      const found = await all.where('cards', 'like', `%"${ts}"%`).execute()
      return (await sealedOrders.readAll(keys, found))
        .filter(isDecrypted)
        .find(({ cards }) => cards.some((card) => card.channelId === channelId && card.ts === ts))
    },

    /** Like `find`, in the caller's transaction. Nobody else changes the order before the transaction ends. */
    async findLocked(transaction: Rows, workspaceId: string, number: number): Promise<Order | undefined> {
      const query = selectRows(transaction, 'cert_order', { workspace_id: workspaceId, number })
      const found = await (kind === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
      return sealedOrders.readOne(keys, found)
    },

    /** A short page, newest first, including orders that can't be decrypted. */
    async list(query: OrderQuery): Promise<ListedOrder[]> {
      return sealedOrders.readAll(keys, await listRows(query))
    },

    /**
     * Reads one order after another, newest first, with turns for other requests in between. A request may be as long as 64 KB, so hundreds
     * of orders together would fill the memory. Leaves out orders that can't be decrypted.
     */
    async *scan({ limit, ...filter }: OrderQuery): AsyncGenerator<Order> {
      let found: Awaited<ReturnType<typeof listRows>> = []
      for (let remaining = limit; remaining > 0; remaining -= ROWS_AT_ONCE) {
        const before = found.at(-1)?.number ?? filter.before
        found = await listRows({ ...filter, before, limit: Math.min(remaining, ROWS_AT_ONCE) })
        for (const row of found) {
          await yieldWhenDue()
          yield* (await sealedOrders.readAll(keys, [row])).filter(isDecrypted)
        }
        if (found.length < ROWS_AT_ONCE) return
      }
    },

    async count(filter: OrderFilter): Promise<number> {
      const { total } = await countQuery(rows, filter).executeTakeFirstOrThrow()
      return Number(total)
    },

    async listEvents({ id }: Pick<Order, 'id'>): Promise<OrderEvent[]> {
      const found = await selectRows(rows, 'cert_order_event', { order_id: id }).orderBy('version').execute()
      return found.map(ORDER_STEP.parse)
    },

    /** Throws UserError while an order with this key, or for this certificate, is open. */
    refuseWhileOpen: (order: Order): Promise<void> => refuseDuplicate(rows, order),

    /** Throws UserError if sending this order could create a second one for the same certificate. */
    refuseDuplicate: (order: Order, from: Rows = rows): Promise<void> => refuseDuplicate(from, order, order),

    ...writer,

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

    /** Stores where an order's messages are. Throws LeaseLost, and writes nothing, if `owner` has lost its notification work. */
    storeCards: ({ id }: Pick<Order, 'id'>, cards: OrderCards, { work, owner }: Lease): Promise<void> =>
      rows.transaction().execute(async (transaction) => {
        // Locks the order first, as every step does, to avoid deadlocks.
        await updateRows(transaction, 'cert_order', { id }, { cards: JSON.stringify(cards) })
        if (!(await hasLease(transaction, work.id, owner))) throw new LeaseLost()
      }),

    async countUnknown(): Promise<number> {
      const { count } = await rows
        .selectFrom('cert_order')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('state', '=', 'unknown')
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
