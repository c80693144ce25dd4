import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type DatabaseTime,
  isHeld,
  isOpened,
  type Rows,
  readTime,
  rowsIn,
  saveSealed,
  updateIn,
  WorkspaceForgotten,
  type WorkspaceKeys,
  whileKeyIsHeld,
} from '@signalman/durable'
import { countQuery, type OrderFilter, type OrderQuery, pageQuery } from './queries.ts'
import {
  type NewOrder,
  type OrderCards,
  type OrderEvent,
  type StoredOrder,
  sealedOrders,
  type UnopenedOrder,
} from './row.ts'
import { ORDER_STEP } from './tables.ts'
import { nextNumber, orderTurn, orderWriter, refuseWhileOpen } from './writing.ts'

export type StoredOrders = ReturnType<typeof storedOrders>

/** The rows of `cert_order` and `cert_order_event`. What is about one order throws SealError where its content does not open. */
export function storedOrders(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
) {
  return { ...orderReads(database, time, keys), ...orderChanges(database, time, keys, appendAudit) }
}

function orderReads({ rows, reading }: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const listing = async (query: OrderQuery): Promise<(StoredOrder | UnopenedOrder)[]> =>
    await sealedOrders.all(rows, keys, await pageQuery(reading, query).execute())

  return {
    /** The time that orders are dated, due and expired by: the database's, which is one for all processes. */
    time: (): Promise<Date> => readTime(rows, time),

    async find(workspaceId: string, number: number): Promise<StoredOrder | undefined> {
      if (!Number.isSafeInteger(number)) return undefined
      const own = { workspace_id: workspaceId, number }
      return sealedOrders.one(rows, keys, await rowsIn(rows, 'cert_order', own).executeTakeFirst())
    },

    /** The order that the act of this reference has asked for. */
    findAsked: (workspaceId: string, reference: string): Promise<StoredOrder | undefined> =>
      askedBy(rows, workspaceId, reference, keys),

    /** Newest first, without those whose content does not open. */
    async list(query: OrderQuery): Promise<StoredOrder[]> {
      return (await listing(query)).filter(isOpened)
    },

    /** Newest first, with all that can be told of those. */
    listing,

    /** Throws UserError when an order of this key, or about this certificate, is open. */
    refuseWhileOpen: (order: OrderFilter): Promise<void> => refuseWhileOpen(rows, order),

    async count(filter: OrderFilter): Promise<number> {
      const { many } = await countQuery(reading, filter).executeTakeFirstOrThrow()
      return Number(many)
    },

    /** By its id. */
    async get(id: string): Promise<StoredOrder | undefined> {
      return sealedOrders.one(rows, keys, await rowsIn(rows, 'cert_order', { id }).executeTakeFirst())
    },

    /** Every step of an order, first to last. */
    async events({ id }: Pick<StoredOrder, 'id'>): Promise<OrderEvent[]> {
      const found = await rowsIn(rows, 'cert_order_event', { order_id: id }).orderBy('version').execute()
      return found.map(ORDER_STEP.of)
    },
  }
}

function orderChanges(database: Database, time: DatabaseTime, keys: WorkspaceKeys, appendAudit: AppendAudit) {
  const { rows } = database
  return {
    /**
     * Writes a new order, its first event, and what that leaves to be done (ORDER_WORK); on disk before this returns. If this
     * act already created an order, returns that order. Throws WorkspaceForgotten, with nothing written, when the workspace was
     * forgotten, and with it the act.
     */
    add: (order: NewOrder, event: OrderEvent): Promise<StoredOrder> =>
      saveSealed(
        database,
        keys,
        order.workspaceId,
        async (transaction, sealer) => {
          const asked = await askedBy(transaction, order.workspaceId, event.reference, keys)
          if (asked) return asked
          await refuseForgotten(transaction, order, event)
          return await orderWriter(time, sealer).insert(transaction, order, event)
        },
        orderTurn(order.workspaceId),
      ),

    /**
     * Writes the next state of an order, the event that led there, its row of the audit log and what it leaves to be done, if
     * nobody has changed the order since `next.version`; on disk before this returns. Undefined, and nothing written, when
     * somebody has.
     */
    move: (next: StoredOrder, event: OrderEvent, auditEvent?: AuditEvent): Promise<StoredOrder | undefined> =>
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

    /** `move`, and in the same transaction a new order that comes of it, whose number the moved one is told. */
    replace: (
      next: (successor: number) => StoredOrder,
      event: OrderEvent,
      successor: NewOrder,
    ): Promise<StoredOrder | undefined> =>
      saveSealed(
        database,
        keys,
        successor.workspaceId,
        async (transaction, sealer) => {
          await refuseForgotten(transaction, successor, event)
          const { insert, write } = orderWriter(time, sealer)
          const moved = await write(transaction, next(await nextNumber(transaction, successor)), event)
          return moved && (await insert(transaction, successor, event))
        },
        orderTurn(successor.workspaceId),
      ),

    keepCards: keepCards(database),
  }
}

/** Stores where its cards are. False, with nothing written, when the owner does not have the order's notice any more. */
const keepCards =
  ({ kind, rows }: Database) =>
  (
    { id }: Pick<StoredOrder, 'id'>,
    cards: OrderCards,
    { workId, owner }: { workId: string; owner: string },
  ): Promise<boolean> =>
    rows.transaction().execute(async (transaction) => {
      // The order first, as in every step of it, so that none of two waits for the other.
      const order = transaction.selectFrom('cert_order').select('id').where('id', '=', id)
      await (kind === 'postgres' ? order.forUpdate() : order).execute()
      if (!(await isHeld(transaction, workId, owner))) return false
      await updateIn(transaction, 'cert_order', { id }, { cards: JSON.stringify(cards) })
      return true
    })

async function askedBy(
  rows: Rows,
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
  return sealedOrders.one(rows, keys, row)
}

/**
 * Throws WorkspaceForgotten once the workspace was forgotten and the act that asks was deleted with all its work: it began before
 * that, and its order would be left behind.
 */
async function refuseForgotten(
  rows: Rows,
  { workspaceId }: Pick<StoredOrder, 'workspaceId'>,
  { reference }: OrderEvent,
): Promise<void> {
  if (reference === undefined) return
  const tombstone = rows
    .selectFrom('workspace_key')
    .select('id')
    .where((key) => key.and({ workspace_id: workspaceId, sealed_key: null, dropped_at: null }))
  if ((await tombstone.limit(1).executeTakeFirst()) === undefined) return
  const act = rows
    .selectFrom('work')
    .select('id')
    .where((work) => work.and({ workspace_id: workspaceId, state: 'running', reference }))
  if ((await act.limit(1).executeTakeFirst()) === undefined) throw new WorkspaceForgotten()
}
