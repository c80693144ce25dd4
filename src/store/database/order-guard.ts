import type { Transaction } from 'kysely'
import { orderMoves } from '../../domain/order-states.ts'
import type { Schema } from './schema.ts'

/** The pairs of states that the database lets follow on each other: those of the table of order states. */
export const GUARDED: ReadonlySet<string> = new Set(orderMoves.map(({ from, to }) => `${from} ${to}`))

/** Brings the database's own table of steps up to the program's. Writes only what differs. */
export async function updateOrderGuard(transaction: Transaction<Schema>): Promise<void> {
  const rows = await transaction.selectFrom('cert_order_move').selectAll().execute()
  const there = new Set(rows.map(({ from_state, to_state }) => `${from_state} ${to_state}`))
  for (const { from_state, to_state } of rows)
    if (!GUARDED.has(`${from_state} ${to_state}`))
      await transaction
        .deleteFrom('cert_order_move')
        .where('from_state', '=', from_state)
        .where('to_state', '=', to_state)
        .execute()
  for (const pair of GUARDED) {
    if (there.has(pair)) continue
    const [from_state = '', to_state = ''] = pair.split(' ')
    await transaction.insertInto('cert_order_move').values({ from_state, to_state }).execute()
  }
}
