import type { Kysely, RawBuilder } from 'kysely'
import { deleteInBatches } from '../database/delete-in-batches.ts'
import type { Schema } from '../database/schema.ts'

/** Deletes orders that are over and were touched last before then, some at a time, each with its steps. */
export const sweepOrders = (rows: Kysely<Schema>, before: RawBuilder<string>): Promise<number> =>
  deleteInBatches(async (limit) => {
    const old = await rows
      .selectFrom('cert_order')
      .select('id')
      .where('state', 'in', ['placed', 'failed', 'rejected', 'withdrawn', 'expired'])
      .where('updated_at', '<', before)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('cert_order as later')
            .select('later.id')
            .whereRef('later.workspace_id', '=', 'cert_order.workspace_id')
            .whereRef('later.number', '>', 'cert_order.number'),
        ),
      )
      .limit(limit)
      .execute()
    const ids = old.map(({ id }) => id)
    if (ids.length === 0) return 0
    await rows.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('cert_order_event').where('order_id', 'in', ids).execute()
      await transaction.deleteFrom('cert_order').where('id', 'in', ids).execute()
    })
    return ids.length
  })
