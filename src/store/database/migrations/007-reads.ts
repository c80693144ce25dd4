import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What is kept in memory until it changes. */
const KEPT = ['channel', 'connection', 'installation', 'role_grant', 'setting']

/**
 * Ephemeral state in place of drafts (buttons and windows carry their own now), and on PostgreSQL word to every process, in
 * the writing transaction, that something changed of what they keep in memory.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ephemeral_state')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute()
  for (const column of ['expires_at', 'workspace_id'])
    await db.schema.createIndex(`ephemeral_state_by_${column}`).on('ephemeral_state').column(column).execute()
  await db.schema.dropTable('draft').execute()
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`
    create function signalman_changed() returns trigger language plpgsql as
    $$ begin perform pg_notify('signalman_changed', ''); return null; end $$`.execute(db)
  for (const table of KEPT)
    await sql`
      create trigger signalman_changed after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function signalman_changed()`.execute(db)
}
