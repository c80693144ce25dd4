import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type DatabaseTime, readTime } from './clock.ts'
import type { Database } from './database.ts'
import type { Table } from './declared-table.ts'
import { codeOf } from './errors.ts'
import { isPostgres, LOCK_WITHIN_MS, restOf, roomOf } from './migrating.ts'
import type { Schema } from './schema.ts'

/** Months that are made before they begin, by processes that look every hour. */
const AHEAD = 2
/** Another process has dropped it meanwhile. */
const DROPPED = '42P01'
/** A lock was not had in time, a deadlock, or the statement took too long: the next hour is soon enough. */
const FOR_LATER: ReadonlySet<string> = new Set([DROPPED, '55P03', '40P01', '57014'])

/** Nothing is left to be deleted in a partition that is gone. */
export function isDropped(error: unknown): boolean {
  return codeOf(error) === DROPPED
}

interface Month {
  /** What its partition is called. */
  readonly partition: string
  readonly from: Date
  readonly to: Date
}

function monthOf(table: string, date: Date, ahead = 0): Month {
  const from = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead))
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1))
  return { partition: `${table}_${from.toISOString().slice(0, 7).replace('-', '_')}`, from, to }
}

/** The tables in which rows of this one stand, on PostgreSQL; itself where it has no partitions. */
export async function partitionsOf(rows: Kysely<Schema>, table: string): Promise<readonly string[]> {
  const { rows: found } = await sql<{ name: string }>`
    select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) order by c.relname`.execute(rows)
  return found.length === 0 ? [table] : found.map(({ name }) => name)
}

/** When the months begin that have a partition, the newest first. */
export async function monthsOf(rows: Kysely<Schema>, table: string): Promise<Date[]> {
  const names = (await partitionsOf(rows, table)).filter((name) => /_\d{4}_\d\d$/.test(name))
  return names.toReversed().map((name) => new Date(name.slice(-7).replace('_', '-')))
}

/**
 * Makes the partitions of this month and the next ones where they are missing, in the caller's transaction, which must shut out
 * whoever else makes some. Rows of a month that came before its partition was made (a clock was wrong, or nobody looked) move into it.
 */
export async function makePartitions(
  transaction: Transaction<Schema>,
  tables: readonly Table[],
  now: Date,
): Promise<void> {
  if (!isPostgres(transaction)) return
  for (const table of tables.filter(({ partitionedBy }) => partitionedBy !== undefined)) {
    const { name } = table
    const there = await partitionsOf(transaction, name)
    for (let ahead = 0; ahead <= AHEAD; ahead += 1) {
      const month = monthOf(name, now, ahead)
      // A database of an older version may have no such table yet.
      if (there.includes(restOf(name)) && !there.includes(month.partition))
        await makePartition(transaction, table, month)
    }
  }
}

/** Beside the table and then attached to it: unlike a partition that is made in its place, that stops no reader of the others. */
async function makePartition(
  transaction: Transaction<Schema>,
  table: Table,
  { partition, ...month }: Month,
): Promise<void> {
  const { name, partitionedBy = '' } = table
  const at = sql.ref(partitionedBy)
  const [own, rest] = [sql.table(partition), sql.table(restOf(name))]
  const [from, to] = [sql.lit(month.from.toISOString()), sql.lit(month.to.toISOString())]
  await sql`create table ${own} (like ${sql.table(name)} including defaults including constraints)
    ${roomOf(table)}`.execute(transaction)
  await sql`lock table ${rest} in access exclusive mode`.execute(transaction)
  await sql`
    with moved as (delete from ${rest} where ${at} >= ${from} and ${at} < ${to} returning *)
    insert into ${own} select * from moved`.execute(transaction)
  await sql`alter table ${sql.table(name)} attach partition ${own} for values from (${from}) to (${to})`.execute(
    transaction,
  )
}

/**
 * Makes what is missing, and drops each month of which no row is to be kept; what is in the way now is left to the next time. Returns,
 * for each table that has partitions, those of which rows are to be deleted one by one: all of a month's are over at its end, and wait
 * for that.
 */
export async function turnPartitions(
  { kind, rows, inTurn, model }: Pick<Database, 'kind' | 'rows' | 'inTurn' | 'model'>,
  time: DatabaseTime,
  isKept: (table: Table) => RawBuilder<unknown>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const left = new Map<string, readonly string[]>()
  if (kind === 'sqlite') return left
  const now = await readTime(rows, time)
  const turning = (work: (transaction: Transaction<Schema>) => Promise<unknown>): Promise<void> =>
    inTurn('partitions', async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_WITHIN_MS)}`.execute(transaction)
      await work(transaction)
    }).catch((error: unknown) => {
      if (!FOR_LATER.has(codeOf(error))) throw error
    })
  await turning((transaction) => makePartitions(transaction, model.tables, now))
  for (const table of model.tables.filter(({ partitionedBy }) => partitionedBy !== undefined)) {
    const { name, swept } = table
    const longestMs = Math.max(0, ...swept.map(({ afterMs }) => afterMs))
    // By name, which is by time; that of the rest stands behind them all.
    const first = monthOf(name, new Date(now.getTime() - longestMs)).partition
    for (const partition of (await partitionsOf(rows, name)).filter((one) => one < first))
      await turning(async (transaction) => {
        if (await hasRowsToKeep(transaction, partition, isKept(table))) return
        // In the order in which those who read them lock them.
        await sql`lock table only ${sql.table(name)} in access exclusive mode`.execute(transaction)
        if (await hasRowsToKeep(transaction, partition, isKept(table))) return
        await sql`drop table ${sql.table(partition)}`.execute(transaction)
      })
    const there = await partitionsOf(rows, name)
    left.set(
      name,
      there.filter((one) => one < first || one === restOf(name)),
    )
  }
  return left
}

async function hasRowsToKeep(
  rows: Kysely<Schema>,
  partition: string,
  isKept: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows: found } = await sql<{ has: boolean }>`
    select exists (select 1 from ${sql.table(partition)} where ${isKept}) as has`.execute(rows)
  return found[0]?.has ?? false
}
