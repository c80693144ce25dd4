import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type DatabaseTime,
  isHeld,
  readTime,
  type Schema,
  WorkspaceForgotten,
  type WorkspaceKeys,
  whileKeyIsHeld,
} from '@signalman/durable'
import { yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { countQuery, type OrderFilter, type OrderQuery, pageQuery } from './queries.ts'
import {
  type NewOrder,
  type OrderCards,
  type OrderEvent,
  orderOf,
  orderOrUnopened,
  type StoredOrder,
  type UnopenedOrder,
} from './row.ts'
import { sweepOrders } from './sweep-orders.ts'
import type { CertOrderRow } from './tables.ts'
import { nextNumber, orderTurn, orderWriter } from './writing.ts'

export interface StoredOrders {
  /** The time that orders are dated, due and expired by: the database's, which is one for all processes. */
  time(): Promise<Date>
  /**
   * Writes a new order, its first event, and what that leaves to be done (ORDER_WORK); on disk before this returns. If this
   * act already created an order, returns that order. Throws WorkspaceForgotten, with nothing written, when the workspace was
   * forgotten, and with it the act.
   */
  add(order: NewOrder, event: OrderEvent): Promise<StoredOrder>
  find(workspaceId: string, number: number): Promise<StoredOrder | undefined>
  /** The order that the act of this reference has asked for. */
  findAsked(workspaceId: string, reference: string): Promise<StoredOrder | undefined>
  /**
   * Writes the next state of an order, the event that led there, its row of the audit log and what it leaves to be done, if
   * nobody has changed the order since `next.version`; on disk before this returns. Undefined, and nothing written, when
   * somebody has.
   */
  move(next: StoredOrder, event: OrderEvent, auditEvent?: AuditEvent): Promise<StoredOrder | undefined>
  /** `move`, and in the same transaction a new order that comes of it, whose number the moved one is told. */
  replace(
    next: (successor: number) => StoredOrder,
    event: OrderEvent,
    successor: NewOrder,
  ): Promise<StoredOrder | undefined>
  /** Newest first, without those whose content does not open. */
  list(query: OrderQuery): Promise<StoredOrder[]>
  /** Newest first, with all that can be told of those. */
  listing(query: OrderQuery): Promise<(StoredOrder | UnopenedOrder)[]>
  count(filter: OrderFilter): Promise<number>
  /** By its id. */
  get(id: string): Promise<StoredOrder | undefined>
  /** Stores where its cards are. False, with nothing written, when the owner does not have the order's notice any more. */
  keepCards(
    order: Pick<StoredOrder, 'id'>,
    cards: OrderCards,
    by: { workId: string; owner: string },
  ): Promise<boolean>
  /**
   * Deletes orders with all their steps that are over and that nobody has touched for so long, but never the newest of a workspace,
   * whose number the next one follows on. Says how many.
   */
  sweep(olderThanMs: number): Promise<number>
  /** Every step of an order, first to last. */
  events(order: Pick<StoredOrder, 'id'>): Promise<OrderEvent[]>
}

/** The rows of `cert_order` and `cert_order_event`. What is about one order throws SealError where its content does not open. */
export function storedOrders(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
): StoredOrders {
  return { ...orderReads(database, time, keys), ...orderChanges(database, time, keys, appendAudit) }
}

function orderReads(
  { rows, reading }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): Pick<StoredOrders, 'time' | 'find' | 'findAsked' | 'list' | 'listing' | 'count' | 'get' | 'events'> {
  const listing: StoredOrders['listing'] = async (query) =>
    await openedAll(rows, keys, await pageQuery(reading, query).execute())

  return {
    time: () => readTime(rows, time),

    async find(workspaceId, number) {
      if (!Number.isSafeInteger(number)) return undefined
      const row = await rows
        .selectFrom('cert_order')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('number', '=', number)
        .executeTakeFirst()
      return row && (await opened(rows, keys, row))
    },

    findAsked: (workspaceId, reference) => askedBy(rows, workspaceId, reference, keys),

    async list(query) {
      const all = await listing(query)
      return all.filter((order): order is StoredOrder => !('unopened' in order))
    },

    listing,

    async count(filter) {
      const { many } = await countQuery(reading, filter).executeTakeFirstOrThrow()
      return Number(many)
    },

    async get(id) {
      const row = await rows.selectFrom('cert_order').selectAll().where('id', '=', id).executeTakeFirst()
      return row && (await opened(rows, keys, row))
    },

    async events({ id }) {
      const found = await rows
        .selectFrom('cert_order_event')
        .selectAll()
        .where('order_id', '=', id)
        .orderBy('version')
        .execute()
      return found.map(({ kind, at, user_id, reference }) => ({
        kind,
        at: new Date(at),
        ...(user_id !== null && { userId: user_id }),
        ...(reference !== null && { reference }),
      }))
    },
  }
}

function orderChanges(
  { kind, rows, inTurn }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
): Pick<StoredOrders, 'add' | 'move' | 'replace' | 'keepCards' | 'sweep'> {
  return {
    add: (order, event) =>
      whileKeyIsHeld(
        (work) => inTurn(orderTurn(order.workspaceId), work),
        keys,
        order.workspaceId,
        async (transaction, sealer) => {
          const asked = await askedBy(transaction, order.workspaceId, event.reference, keys)
          if (asked) return asked
          await refuseForgotten(transaction, order, event)
          return await orderWriter(time, sealer).insert(transaction, order, event)
        },
      ),

    move: (next, event, auditEvent) =>
      whileKeyIsHeld(
        (work) => rows.transaction().execute(work),
        keys,
        next.workspaceId,
        async (transaction, sealer) => {
          const moved = await orderWriter(time, sealer).write(transaction, next, event)
          if (moved && auditEvent) await appendAudit(transaction, [auditEvent])
          return moved
        },
      ),

    replace: (next, event, successor) =>
      whileKeyIsHeld(
        (work) => inTurn(orderTurn(successor.workspaceId), work),
        keys,
        successor.workspaceId,
        async (transaction, sealer) => {
          await refuseForgotten(transaction, successor, event)
          const { insert, write } = orderWriter(time, sealer)
          const moved = await write(transaction, next(await nextNumber(transaction, successor)), event)
          return moved && (await insert(transaction, successor, event))
        },
      ),

    sweep: (olderThanMs) => sweepOrders(rows, time(-olderThanMs)),

    keepCards: ({ id }, cards, { workId, owner }) =>
      rows.transaction().execute(async (transaction) => {
        // The order first, as in every step of it, so that none of two waits for the other.
        const order = transaction.selectFrom('cert_order').select('id').where('id', '=', id)
        await (kind === 'postgres' ? order.forUpdate() : order).execute()
        if (!(await isHeld(transaction, workId, owner))) return false
        await transaction
          .updateTable('cert_order')
          .set({ cards: JSON.stringify(cards) })
          .where('id', '=', id)
          .execute()
        return true
      }),
  }
}

const opened = async (rows: Kysely<Schema>, keys: WorkspaceKeys, row: CertOrderRow): Promise<StoredOrder> =>
  orderOf(row, await keys.opener(rows, [row.sealed_content]))

/** An order of thousands of names takes milliseconds to open. */
async function openedAll(
  rows: Kysely<Schema>,
  keys: WorkspaceKeys,
  found: readonly CertOrderRow[],
): Promise<(StoredOrder | UnopenedOrder)[]> {
  const orders: (StoredOrder | UnopenedOrder)[] = []
  const opener = await keys.opener(
    rows,
    found.map(({ sealed_content }) => sealed_content),
  )
  for (const row of found) {
    await yieldWhenDue()
    orders.push(orderOrUnopened(row, opener))
  }
  return orders
}

async function askedBy(
  rows: Kysely<Schema>,
  workspaceId: string,
  reference: string | undefined,
  keys: WorkspaceKeys,
): Promise<StoredOrder | undefined> {
  if (reference === undefined) return undefined
  const row = await rows
    .selectFrom('cert_order')
    .innerJoin('cert_order_event', 'cert_order_event.order_id', 'cert_order.id')
    .selectAll('cert_order')
    .where('cert_order_event.reference', '=', reference)
    .where('cert_order_event.version', '=', 1)
    .where('cert_order.workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row && (await opened(rows, keys, row))
}

/**
 * Throws WorkspaceForgotten once the workspace was forgotten and the act that asks was deleted with all its work: it began before
 * that, and its order would be left behind.
 */
async function refuseForgotten(
  rows: Kysely<Schema>,
  { workspaceId }: Pick<StoredOrder, 'workspaceId'>,
  { reference }: OrderEvent,
): Promise<void> {
  if (reference === undefined) return
  const tombstone = rows
    .selectFrom('workspace_key')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('sealed_key', 'is', null)
    .where('dropped_at', 'is', null)
  if ((await tombstone.limit(1).executeTakeFirst()) === undefined) return
  const act = rows
    .selectFrom('work')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'running')
    .where('reference', '=', reference)
  if ((await act.limit(1).executeTakeFirst()) === undefined) throw new WorkspaceForgotten()
}
