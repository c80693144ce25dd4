import { type Kysely, sql } from 'kysely'

/** The audit log, and each workspace's sealed chain head. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .addColumn('previous_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('team_id', 'text')
    .addColumn('channel_id', 'text')
    .addColumn('verb', 'text', (column) => column.notNull())
    .addColumn('object', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_entry_key', ['workspace_id', 'sequence'])
    .addCheckConstraint('audit_entry_outcome', sql`outcome in ('done', 'refused', 'failed', 'unknown')`)
    .execute()
  await db.schema
    .createIndex('audit_entry_by_user')
    .on('audit_entry')
    .columns(['workspace_id', 'user_id', 'sequence'])
    .execute()
  await db.schema
    .createTable('audit_chain')
    .addColumn('workspace_id', 'text', (column) => column.primaryKey())
    .addColumn('sealed_head', 'text', (column) => column.notNull())
    .execute()
}
