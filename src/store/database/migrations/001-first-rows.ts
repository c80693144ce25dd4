import { type Kysely, sql } from 'kysely'

const ENVIRONMENT = sql`environment in ('production', 'ote')`

/** Connections, claims, drafts, channel settings, and the values that prove the keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('key_check')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('made_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('connection')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('sealed_token', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('stored_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('connection_key', ['workspace_id', 'environment'])
    .addCheckConstraint('connection_environment', ENVIRONMENT)
    .execute()
  await db.schema
    .createTable('claim')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('claimed_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('claim_by_time').on('claim').column('claimed_at').execute()
  await db.schema
    .createTable('draft')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('draft_by_expiry').on('draft').column('expires_at').execute()
  await db.schema
    .createTable('channel')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('channel_key', ['workspace_id', 'channel_id'])
    .addCheckConstraint('channel_environment', ENVIRONMENT)
    .execute()
}
