import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What is kept in memory until it changes, and the column that says whose it is. */
const KEPT = {
  channel: 'workspace_id',
  connection: 'workspace_id',
  installation: 'id',
  role_grant: 'workspace_id',
  setting: 'workspace_id',
}

/**
 * On PostgreSQL the word that something changed says of which workspace or organization, so that what is kept of the others
 * stays. Without a name it still means everything, as processes of earlier versions take it in any case.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`
    create function signalman_changed_of() returns trigger language plpgsql as
    $$ begin
      if tg_op <> 'INSERT' then perform pg_notify('signalman_changed', to_jsonb(old) ->> tg_argv[0]); end if;
      if tg_op <> 'DELETE' then perform pg_notify('signalman_changed', to_jsonb(new) ->> tg_argv[0]); end if;
      return null;
    end $$`.execute(db)
  for (const [table, owner] of Object.entries(KEPT)) {
    await sql`drop trigger signalman_changed on ${sql.table(table)}`.execute(db)
    await sql`
      create trigger signalman_changed after truncate on ${sql.table(table)}
      for each statement execute function signalman_changed()`.execute(db)
    await sql`
      create trigger signalman_changed_of after insert or update or delete on ${sql.table(table)}
      for each row execute function signalman_changed_of(${sql.lit(owner)})`.execute(db)
  }
}
