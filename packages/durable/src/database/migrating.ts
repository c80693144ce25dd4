import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Table } from './declared-table.ts'

export const isPostgres = (db: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

/**
 * A change of a table waits for its readers, and every other statement waits behind the change. The limit is well below the time
 * in which a replica of the version before has to write an act down.
 */
export const LOCK_WITHIN_MS = 1000

/** What PostgreSQL is told of a table, or a partition of it, whose rows are rewritten. */
export const roomOf = ({ isRewritten }: Table) => (isRewritten ? sql`with (fillfactor = 70)` : sql``)

/** The partition of rows for whose month there is none, so that no insert ever fails. */
export const restOf = (table: string): string => `${table}_rest`

/**
 * Makes tables as they are declared: for a migration with a name, those of its name, and its columns in those that were made before;
 * without a name, for the first, all that no later one makes.
 */
export async function makeTables(
  db: Kysely<unknown>,
  tables: readonly Table[],
  migration?: string,
): Promise<void> {
  for (const table of tables) {
    if (table.since === migration) await makeTable(db, table)
    else if (migration !== undefined)
      for (const column of table.columns.definitions.filter(({ since }) => since === migration))
        await sql`alter table ${sql.table(table.name)} add column ${sql.raw(column.sql)}`.execute(db)
  }
}

async function makeTable(db: Kysely<unknown>, table: Table): Promise<void> {
  const { name, columns, key, constraints, indexes, uniqueIndexes, since, moves, partOf } = table
  const at = sql.table(name)
  const own = columns.definitions.filter((column) => column.since === undefined || column.since === since)
  const by = isPostgres(db) ? table.partitionedBy : undefined
  const wholeKey = by === undefined || key.includes(by) ? key : [...key, by]
  const parts = [...own.map((column) => column.sql), `primary key (${wholeKey.join(', ')})`, ...constraints]
  if (partOf) parts.push(`foreign key (${partOf.column}) references ${partOf.table} (id) on delete cascade`)
  const room = isPostgres(db) ? roomOf(table) : sql``
  await sql`create table ${at} (${sql.raw(parts.join(', '))})
    ${by === undefined ? room : sql`partition by range (${sql.ref(by)})`}`.execute(db)
  if (by !== undefined)
    await sql`create table ${sql.table(restOf(name))} partition of ${at} default ${room}`.execute(db)
  for (const [each, some] of [
    [sql`index`, indexes],
    [sql`unique index`, uniqueIndexes],
  ] as const)
    for (const [index, on] of Object.entries(some))
      await sql`create ${each} ${sql.id(`${name}_${index}`)} on ${at} ${sql.raw(on)}`.execute(db)
  if (moves) await guardMoves(db, name.replace(/_move$/, ''), moves.refusal)
}

/**
 * The database itself refuses a change of `state` that the table `…_move` does not name, whatever program tries it. The rows of
 * that table are put there at each start, so that they are those of the program (declared-table.ts).
 */
async function guardMoves(db: Kysely<unknown>, table: string, refusal: string): Promise<void> {
  const [moves, guard, at] = [`${table}_move`, `${table}_guard`, sql.table(table)]
  const isKnown = sql`select 1 from ${sql.table(moves)} where from_state = old.state and to_state = new.state`
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
