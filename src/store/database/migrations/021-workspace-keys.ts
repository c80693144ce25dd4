import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The keys of each workspace, sealed with an encryption key: `content` seals what its rows say, `rows` the rows themselves in
 * backups. At most one of each seals; the others open what they have sealed, until they are destroyed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspace_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('sealed_key', 'text')
    .addColumn('made_at', 'text', (column) => column.notNull())
    .addColumn('retired_at', 'text')
    .addCheckConstraint('workspace_key_purpose', sql`purpose in ('content', 'rows')`)
    .execute()
  await sql`
    create unique index workspace_key_in_use on workspace_key (workspace_id, purpose)
    where retired_at is null`.execute(db)
  await db.schema
    .createIndex('workspace_key_by_workspace_id')
    .on('workspace_key')
    .column('workspace_id')
    .execute()
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`
    create trigger signalman_changed_of after insert or update or delete on workspace_key
    for each row execute function signalman_changed_of('workspace_id')`.execute(db)
}
