import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The database itself refuses a step that the table of order states does not name, whatever program tries it. The rows of
 * `cert_order_move` are put there at each start (order-guard.ts), so that they are those of the program.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cert_order_move')
    .addColumn('from_state', 'text', (column) => column.notNull())
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('cert_order_move_key', ['from_state', 'to_state'])
    .execute()
  if (db.getExecutor().adapter instanceof PostgresAdapter) await guardPostgres(db)
  else await guardSqlite(db)
}

async function guardPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function cert_order_guard() returns trigger language plpgsql as
    $$ begin
      if not exists (
        select 1 from cert_order_move
        where from_state = old.state and to_state = new.state
      ) then raise exception 'no such step of an order'; end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger cert_order_guard before update of state on cert_order
    for each row execute function cert_order_guard()`.execute(db)
}

async function guardSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger cert_order_guard before update of state on cert_order
    when not exists (select 1 from cert_order_move where from_state = old.state and to_state = new.state)
    begin select raise(abort, 'no such step of an order'); end`.execute(db)
}
