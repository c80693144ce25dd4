import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { TextSealer } from '../secrets/seal.ts'
import { schedule, unschedule } from '../work/schedule.ts'
import { type NewOrder, type OrderEvent, rowOf, type StoredOrder } from './row.ts'

/** What every step of an order leaves to be done, each a kind of work whose key is the order's id. */
export const ORDER_WORK = {
  /** People are told of the step. */
  notice: 'order.notice',
  /** A reminder, or the end of its time. */
  due: 'order.due',
  /** Its one POST. */
  submit: 'order.submit',
} as const

const ID_BYTES = 16

/** Numbers of one workspace are given one after the other. */
export const orderTurn = (workspaceId: string): string => `certificate orders of ${workspaceId}`

/** Writes an order with its event and what that leaves to be done, in a transaction of the caller's. */
export function orderWriter(time: DatabaseTime, sealer: TextSealer) {
  async function insert(rows: Kysely<Schema>, order: NewOrder, event: OrderEvent): Promise<StoredOrder> {
    const whole: StoredOrder = {
      ...order,
      id: randomBytes(ID_BYTES).toString('base64url'),
      number: await nextNumber(rows, order),
      version: 1,
      updatedAt: order.createdAt,
      cards: [],
    }
    await rows
      .insertInto('cert_order')
      .values({ ...rowOf(whole, sealer), cards: '[]' })
      .execute()
    await addEvent(rows, whole, event)
    await leaveToDo(rows, whole)
    return whole
  }

  /** Schedules the work that a step leaves in the step's own transaction, so that people are told of every step. */
  async function leaveToDo(
    rows: Kysely<Schema>,
    { id, workspaceId, wakeAt, state }: StoredOrder,
  ): Promise<void> {
    const work = (kind: string) => ({ workspaceId, kind, key: id })
    await schedule(rows, time, work(ORDER_WORK.notice))
    if (wakeAt) await schedule(rows, time, work(ORDER_WORK.due), wakeAt)
    else await unschedule(rows, work(ORDER_WORK.due))
    if (state === 'submitting') await schedule(rows, time, work(ORDER_WORK.submit))
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
      .set(changed)
      .where('id', '=', id)
      .where('version', '=', next.version)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undefined
    await addEvent(rows, moved, event)
    await leaveToDo(rows, moved)
    return moved
  }

  return { insert, write }
}

/** To be asked for in the workspace's turn alone. */
export async function nextNumber(rows: Kysely<Schema>, { workspaceId }: NewOrder): Promise<number> {
  const { last } = await rows
    .selectFrom('cert_order')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0) + 1
}

async function addEvent(
  rows: Kysely<Schema>,
  { id, version }: StoredOrder,
  { kind, at, userId, reference }: OrderEvent,
): Promise<void> {
  const who = { user_id: userId ?? null, reference: reference ?? null }
  const row = { order_id: id, version, at: at.toISOString(), kind, ...who }
  await rows.insertInto('cert_order_event').values(row).execute()
}
