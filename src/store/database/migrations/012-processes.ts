import type { Kysely } from 'kysely'

/** The processes that share this database, each by its last sign of life. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('process')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'text', (column) => column.notNull())
    .execute()
}
