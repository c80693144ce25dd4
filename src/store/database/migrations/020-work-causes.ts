import type { Kysely } from 'kysely'

/** Work knows the request that it came of, by its reference in the log, and the trace that it goes on with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['reference', 'traceparent'])
    await db.schema.alterTable('work').addColumn(column, 'text').execute()
}
