import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { jsonText } from './json.ts'
import { countQuery, type OrderFilter, type OrderQuery, pageQuery } from './order-queries.ts'
import { type Cards, orderTelling, type Telling } from './order-telling.ts'
import type { CertOrderRow, Environment, OrderState, Schema } from './schema.ts'
import type { Identity, Sealer } from './seal.ts'
import { yieldWhenDue } from './turns.ts'

/** A certificate order as it stands; `content` is any JSON value, sealed at rest. */
export interface StoredOrder<Content = unknown> {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId: string | undefined
  /** Counts from 1 in each workspace. */
  readonly number: number
  readonly environment: Environment
  readonly state: OrderState
  /** Counts its steps, from 1. */
  readonly version: number
  readonly requesterId: string
  /** The certificate that it is about, or that came of it. */
  readonly certificateId?: string | undefined
  readonly bodyHash: string
  readonly content: Content
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When something is due by itself. */
  readonly wakeAt?: Date | undefined
  /** Where its cards stand in Slack. */
  readonly cards: Cards
}

export type NewOrder = Omit<StoredOrder, 'id' | 'number' | 'version' | 'cards' | 'updatedAt'>

export interface OrderEvent {
  readonly kind: string
  readonly at: Date
  /** Absent for what happens by itself. */
  readonly userId?: string | undefined
}

export interface Orders extends Telling {
  /** Writes a new order and its first event, on disk before this returns. */
  add(order: NewOrder, event: OrderEvent): Promise<StoredOrder>
  find(workspaceId: string, number: number): Promise<StoredOrder | undefined>
  /**
   * Writes the next state of an order and the event that led there, if nobody has changed the order since `next.version`;
   * on disk before this returns. Undefined, and nothing written, when somebody has.
   */
  move(next: StoredOrder, event: OrderEvent): Promise<StoredOrder | undefined>
  /** `move`, and in the same transaction a new order that comes of it. */
  replace(next: StoredOrder, event: OrderEvent, successor: NewOrder): Promise<StoredOrder | undefined>
  /** Newest first. */
  list(query: OrderQuery): Promise<StoredOrder[]>
  count(filter: OrderFilter): Promise<number>
  /** Orders for which something is due by itself, longest due first. */
  due(now: Date, limit: number): Promise<StoredOrder[]>
  /** Every step of an order, first to last. */
  events(order: Pick<StoredOrder, 'id'>): Promise<OrderEvent[]>
}

const ID_BYTES = 16

/** The rows of `cert_order` and `cert_order_event`. All of them throw SealError for content that does not open. */
export function orderStore(database: Database, sealer: Sealer): Orders {
  const { rows, reading, inTurn } = database
  const opened = (row: CertOrderRow): StoredOrder => orderOf(row, sealer)

  /** An order of thousands of names takes milliseconds to open. */
  async function openedAll(found: readonly CertOrderRow[]): Promise<StoredOrder[]> {
    const orders: StoredOrder[] = []
    for (const row of found) {
      await yieldWhenDue()
      orders.push(opened(row))
    }
    return orders
  }

  async function insert(rows: Kysely<Schema>, order: NewOrder, event: OrderEvent): Promise<StoredOrder> {
    const { last } = await rows
      .selectFrom('cert_order')
      .select((eb) => eb.fn.max('number').as('last'))
      .where('workspace_id', '=', order.workspaceId)
      .executeTakeFirstOrThrow()
    const whole: StoredOrder = {
      ...order,
      id: randomBytes(ID_BYTES).toString('base64url'),
      number: Number(last ?? 0) + 1,
      version: 1,
      updatedAt: order.createdAt,
      cards: [],
    }
    const row = { ...rowOf(whole, sealer), told_version: 0, tell_at: AT_ONCE, tell_attempts: 0, cards: '[]' }
    await rows.insertInto('cert_order').values(row).execute()
    await addEvent(rows, whole, event)
    return whole
  }

  async function write(
    rows: Kysely<Schema>,
    next: StoredOrder,
    event: OrderEvent,
  ): Promise<StoredOrder | undefined> {
    const moved = { ...next, version: next.version + 1, updatedAt: event.at }
    const { id, workspace_id, number, created_at, ...changed } = rowOf(moved, sealer)
    const { numUpdatedRows } = await rows
      .updateTable('cert_order')
      // `tell_at` stays: whoever is telling of the step before goes on to this one.
      .set({ ...changed, tell_attempts: 0 })
      .where('id', '=', id)
      .where('version', '=', next.version)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undefined
    await addEvent(rows, moved, event)
    return moved
  }

  return {
    ...orderTelling(database, opened),

    add: (order, event) =>
      inTurn(turnOf(order), async (transaction) => await insert(transaction, order, event)),

    async find(workspaceId, number) {
      if (!Number.isSafeInteger(number)) return undefined
      const row = await rows
        .selectFrom('cert_order')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('number', '=', number)
        .executeTakeFirst()
      return row && opened(row)
    },

    move: (next, event) =>
      rows.transaction().execute(async (transaction) => await write(transaction, next, event)),

    replace: (next, event, successor) =>
      inTurn(turnOf(next), async (transaction) => {
        const moved = await write(transaction, next, event)
        return moved && (await insert(transaction, successor, event))
      }),

    list: async (query) => await openedAll(await pageQuery(reading, query).execute()),

    async count(filter) {
      const { many } = await countQuery(reading, filter).executeTakeFirstOrThrow()
      return Number(many)
    },

    async due(now, limit) {
      const found = await rows
        .selectFrom('cert_order')
        .selectAll()
        .where('wake_at', '<=', now.toISOString())
        .orderBy('wake_at')
        .limit(limit)
        .execute()
      return await openedAll(found)
    },

    async events({ id }) {
      const found = await rows
        .selectFrom('cert_order_event')
        .selectAll()
        .where('order_id', '=', id)
        .orderBy('version')
        .execute()
      return found.map(({ kind, at, user_id }) => ({
        kind,
        at: new Date(at),
        ...(user_id !== null && { userId: user_id }),
      }))
    },
  }
}

/** Before every other time. */
const AT_ONCE = new Date(0).toISOString()

/** Numbers of one workspace are given one after the other. */
const turnOf = ({ workspaceId }: { workspaceId: string }): string => `certificate orders of ${workspaceId}`

async function addEvent(
  rows: Kysely<Schema>,
  { id, version }: StoredOrder,
  { kind, at, userId }: OrderEvent,
): Promise<void> {
  const row = { order_id: id, version, at: at.toISOString(), user_id: userId ?? null, kind }
  await rows.insertInto('cert_order_event').values(row).execute()
}

const identityOf = (workspaceId: string, id: string): Identity => ['cert_order', workspaceId, id]

type Told = 'told_version' | 'tell_at' | 'tell_attempts' | 'cards'

function rowOf(order: StoredOrder, sealer: Sealer): Omit<CertOrderRow, Told> {
  const identity = identityOf(order.workspaceId, order.id)
  return {
    id: order.id,
    workspace_id: order.workspaceId,
    enterprise_id: order.enterpriseId ?? null,
    number: order.number,
    environment: order.environment,
    state: order.state,
    version: order.version,
    requester_id: order.requesterId,
    certificate_id: order.certificateId ?? null,
    body_hash: order.bodyHash,
    sealed_content: sealer.seal(jsonText(order.content, 'An order'), identity),
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    wake_at: order.wakeAt?.toISOString() ?? null,
  }
}

function orderOf(row: CertOrderRow, sealer: Sealer): StoredOrder {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    enterpriseId: row.enterprise_id ?? undefined,
    number: row.number,
    environment: row.environment,
    state: row.state,
    version: row.version,
    requesterId: row.requester_id,
    certificateId: row.certificate_id ?? undefined,
    bodyHash: row.body_hash,
    content: JSON.parse(sealer.open(row.sealed_content, identityOf(row.workspace_id, row.id))),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    wakeAt: row.wake_at === null ? undefined : new Date(row.wake_at),
    // Written by `keepCards` alone, hence of this type.
    cards: JSON.parse(row.cards) as Cards,
  }
}
