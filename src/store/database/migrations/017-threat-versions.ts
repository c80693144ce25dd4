import type { Kysely } from 'kysely'

/** Of each exported threat event the newest content, as a hash, and since when it is that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('threat_version')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'text', (column) => column.notNull())
    .addColumn('exported_at', 'text', (column) => column.notNull())
    .execute()
  for (const column of ['workspace_id', 'exported_at'])
    await db.schema.createIndex(`threat_version_by_${column}`).on('threat_version').column(column).execute()
}
