import { type Kysely, sql } from 'kysely'

/** The newest card of a threat event in each channel that it was shared in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('threat_card')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('message_ts', 'text', (column) => column.notNull())
    .addColumn('shown_version', 'integer', (column) => column.notNull())
    .addColumn('shared_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('threat_card_pk', ['workspace_id', 'environment', 'event_id', 'channel_id'])
    .addCheckConstraint('threat_card_environment', sql`environment in ('production', 'ote')`)
    .execute()
  await db.schema.createIndex('threat_card_age').on('threat_card').column('shared_at').execute()
}
