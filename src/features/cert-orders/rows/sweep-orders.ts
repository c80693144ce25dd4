import { setImmediate } from 'node:timers/promises'
import type { Rows } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { type RawBuilder, sql } from 'kysely'

/** Far longer than any certificate is good for, and than anybody asks who ordered it. */
export const ORDERS_KEPT_MS = 3650 * DAY_MS

/** Orders looked at in one statement. */
const PAGE = 100
const OVER: readonly string[] = ['placed', 'failed', 'rejected', 'withdrawn', 'expired']

/** The next of the orders that were touched last before then, after one of them. Whether it is the last of its workspace is told too. */
export const oldOrders = (
  rows: Rows,
  before: RawBuilder<string>,
  after: { readonly updated_at: string; readonly id: string },
) =>
  rows
    .selectFrom('cert_order')
    .select(['id', 'state', 'updated_at'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('cert_order as later')
          .select('later.id')
          .whereRef('later.workspace_id', '=', 'cert_order.workspace_id')
          .whereRef('later.number', '>', 'cert_order.number'),
      ).as('has_later'),
    )
    .where('updated_at', '<', before)
    .where(sql<boolean>`(updated_at, id) > (${after.updated_at}, ${after.id})`)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(PAGE)

/** Deletes orders that are over and were touched last before then, some at a time, each with its steps. */
export async function sweepOrders(rows: Rows, before: RawBuilder<string>): Promise<number> {
  let total = 0
  for (let after = { updated_at: '', id: '' }; ; ) {
    const page = await oldOrders(rows, before, after).execute()
    // A number that is the last of its workspace must not be given again.
    const ids = page.flatMap(({ id, state, has_later }) => (has_later && OVER.includes(state) ? [id] : []))
    if (ids.length > 0)
      await rows.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('cert_order_event').where('order_id', 'in', ids).execute()
        await transaction.deleteFrom('cert_order').where('id', 'in', ids).execute()
      })
    total += ids.length
    const last = page.at(-1)
    if (!last || page.length < PAGE) return total
    after = last
    await setImmediate()
  }
}
