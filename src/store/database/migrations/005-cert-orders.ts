import { type Kysely, sql } from 'kysely'

/** Certificate orders, and what happened to each, step by step. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cert_order')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('requester_id', 'text', (column) => column.notNull())
    .addColumn('certificate_id', 'text')
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('sealed_content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('wake_at', 'text')
    .addColumn('told_version', 'integer', (column) => column.notNull())
    .addColumn('tell_at', 'text', (column) => column.notNull())
    .addColumn('tell_attempts', 'integer', (column) => column.notNull())
    .addColumn('cards', 'text', (column) => column.notNull())
    .addUniqueConstraint('cert_order_number', ['workspace_id', 'number'])
    .addCheckConstraint('cert_order_environment', sql`environment in ('production', 'ote')`)
    .addCheckConstraint(
      'cert_order_state',
      sql`state in ('awaiting', 'submitting', 'placed', 'failed', 'unknown', 'rejected', 'withdrawn', 'expired')`,
    )
    .execute()
  await db.schema.createIndex('cert_order_by_wake').on('cert_order').column('wake_at').execute()
  await db.schema
    .createIndex('cert_order_by_state')
    .on('cert_order')
    .columns(['workspace_id', 'state', 'number'])
    .execute()
  await db.schema
    .createIndex('cert_order_untold')
    .on('cert_order')
    .column('tell_at')
    .where(sql<boolean>`told_version < version`)
    .execute()
  await db.schema
    .createTable('cert_order_event')
    .addColumn('order_id', 'text', (column) => column.notNull().references('cert_order.id'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('cert_order_event_key', ['order_id', 'version'])
    .execute()
}
