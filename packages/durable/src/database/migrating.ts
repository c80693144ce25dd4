import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

// What the migrations of several owners do alike.

export const isPostgres = (db: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

/** Runs statements that both databases read. */
export async function runInTurn(
  db: Kysely<unknown>,
  statements: readonly RawBuilder<unknown>[],
): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

/**
 * For a table of which processes keep rows in memory: on PostgreSQL the writing transaction tells every process that something
 * changed, and of which workspace or organization. A truncation tells no owner, which means all.
 */
export async function tellChanges(db: Kysely<unknown>, table: string, owner = 'workspace_id'): Promise<void> {
  if (!isPostgres(db)) return
  await tellChangedRows(db, table, owner)
  await sql`
    create trigger rows_changed after truncate on ${sql.table(table)}
    for each statement execute function rows_changed()`.execute(db)
}

/** The same for a table that nobody truncates. */
export async function tellChangedRows(
  db: Kysely<unknown>,
  table: string,
  owner = 'workspace_id',
): Promise<void> {
  if (!isPostgres(db)) return
  await sql`
    create trigger rows_changed_of after insert or update or delete on ${sql.table(table)}
    for each row execute function rows_changed_of(${sql.lit(owner)})`.execute(db)
}

/**
 * The database itself refuses a change of `state` that the table `…_move` does not name, whatever program tries it. The rows of
 * that table are put there at each start, so that they are those of the program (declared-table.ts).
 */
export async function guardMoves(db: Kysely<unknown>, table: string, refusal: string): Promise<void> {
  const [moves, guard, at] = [`${table}_move`, `${table}_guard`, sql.table(table)]
  const isKnown = sql`select 1 from ${sql.table(moves)} where from_state = old.state and to_state = new.state`
  await sql`
    create table ${sql.table(moves)} (
      from_state text not null, to_state text not null,
      constraint ${sql.id(`${moves}_key`)} primary key (from_state, to_state)
    )`.execute(db)
  if (!isPostgres(db)) {
    await sql`
      create trigger ${sql.id(guard)} before update of state on ${at} when not exists (${isKnown})
      begin select raise(abort, ${sql.lit(refusal)}); end`.execute(db)
    return
  }
  await sql`
    create function ${sql.id(guard)}() returns trigger language plpgsql as
    $$ begin
      if not exists (${isKnown}) then raise exception ${sql.lit(refusal)}; end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger ${sql.id(guard)} before update of state on ${at}
    for each row execute function ${sql.id(guard)}()`.execute(db)
}
