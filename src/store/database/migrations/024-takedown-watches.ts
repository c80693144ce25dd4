import { type Kysely, sql } from 'kysely'

/** The health checks that tell when what a threat event is about is down, one for an event. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('takedown_watch')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('check_uuid', 'text', (column) => column.notNull())
    .addColumn('made_at', 'text', (column) => column.notNull())
    .addColumn('sealed_state', 'text', (column) => column.notNull())
    .addUniqueConstraint('takedown_watch_event', ['workspace_id', 'environment', 'event_id'])
    .addCheckConstraint('takedown_watch_environment', sql`environment in ('production', 'ote')`)
    .execute()
}
