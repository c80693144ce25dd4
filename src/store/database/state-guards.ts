import type { Transaction } from 'kysely'
import { orderMoves } from '../../domain/order-states.ts'
import { caseMoves } from '../../domain/threat-case.ts'
import type { Schema } from './schema.ts'

/** The tables by which the database refuses steps, and the pairs of states that the program allows. */
const GUARDS = [
  { table: 'cert_order_move', moves: orderMoves.map(({ from, to }) => `${from} ${to}`) },
  { table: 'threat_case_move', moves: caseMoves.map(([from, to]) => `${from} ${to}`) },
] as const

/** Brings these tables up to date. Writes only differences. */
export async function updateStateGuards(transaction: Transaction<Schema>): Promise<void> {
  for (const { table, moves } of GUARDS) await update(transaction, table, new Set(moves))
}

async function update(
  transaction: Transaction<Schema>,
  table: (typeof GUARDS)[number]['table'],
  guarded: ReadonlySet<string>,
): Promise<void> {
  const rows = await transaction.selectFrom(table).selectAll().execute()
  const there = new Set(rows.map(({ from_state, to_state }) => `${from_state} ${to_state}`))
  for (const { from_state, to_state } of rows)
    if (!guarded.has(`${from_state} ${to_state}`))
      await transaction
        .deleteFrom(table)
        .where('from_state', '=', from_state)
        .where('to_state', '=', to_state)
        .execute()
  for (const pair of guarded) {
    if (there.has(pair)) continue
    const [from_state = '', to_state = ''] = pair.split(' ')
    await transaction.insertInto(table).values({ from_state, to_state }).execute()
  }
}
