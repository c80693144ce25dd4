import type { Kysely } from 'kysely'

/** Messages that were about to be posted, and of which nobody has heard yet whether they were. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('post_attempt')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('mark', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('attempted_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('post_attempt_pk', ['workspace_id', 'key'])
    .execute()
  await db.schema.createIndex('post_attempt_age').on('post_attempt').column('attempted_at').execute()
}
