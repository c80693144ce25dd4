import type { Kysely } from 'kysely'

/** The threat events that a workspace has read, and what each has in common with others: digests, by which they are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('threat_salt')
    .addColumn('workspace_id', 'text', (column) => column.primaryKey())
    .addColumn('sealed_salt', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('threat_seen')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('sealed_about', 'text', (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('read_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('threat_seen_event', ['workspace_id', 'environment', 'event_id'])
    .execute()
  await db.schema
    .createIndex('threat_seen_by_time')
    .on('threat_seen')
    .columns(['workspace_id', 'read_at'])
    .execute()
  await db.schema.createIndex('threat_seen_by_age').on('threat_seen').column('read_at').execute()
  await db.schema
    .createTable('threat_trait')
    .addColumn('seen_id', 'text', (column) =>
      column.notNull().references('threat_seen.id').onDelete('cascade'),
    )
    .addColumn('trait', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('read_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('threat_trait_of_seen', ['seen_id', 'trait'])
    .execute()
  await db.schema
    .createIndex('threat_trait_by_trait')
    .on('threat_trait')
    .columns(['workspace_id', 'trait', 'read_at', 'seen_id'])
    .execute()
}
