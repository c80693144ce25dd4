import { setImmediate } from 'node:timers/promises'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'
import type { Table } from './declared-table.ts'
import { isDropped, partitionsOf, turnPartitions } from './partitions.ts'

type Rows = Pick<Database, 'kind' | 'rows'>
/** Runs each batch; without one it runs on the database's rows. */
type Write = Database['relaxed']

/** Deletes all rows of a workspace from a table, one batch at a time. Returns how many it deleted. */
export const deleteRowsOf = (
  database: Rows,
  workspaceId: string,
  table: string,
  write?: Write,
): Promise<number> => deleteWhere(database, table, sql`workspace_id = ${workspaceId}`, write && { write })

/**
 * Deletes the rows that their tables declare as over, some at a time; those of a partition with all of it. Returns how many by table,
 * partitions aside.
 */
export async function sweepRows(
  database: Rows & Pick<Database, 'model' | 'relaxed' | 'inTurn'>,
  time: DatabaseTime,
): Promise<ReadonlyMap<string, number>> {
  const isOver = ({ at, afterMs, only = 'true' }: Table['swept'][number]) =>
    sql<SqlBool>`(${sql.ref(at)} < ${time(-afterMs)} and ${sql.raw(only)})`
  // Rows of a table that is not swept are over when they are gone.
  const partitions = await turnPartitions(
    database,
    time,
    ({ swept }) => sql`not (${sql.join([sql`false`, ...swept.map(isOver)], sql` or `)})`,
  )
  const counts = new Map<string, number>()
  for (const { name, swept } of database.model.tables)
    for (const one of swept) {
      const places = partitions.get(name)
      const deleted = await deleteWhere(database, name, isOver(one), { write: database.relaxed, places })
      counts.set(name, (counts.get(name) ?? 0) + deleted)
    }
  return counts
}

/** Deletes the rows of a table that match, one batch at a time. Returns how many it deleted. */
export async function deleteWhere(
  { kind, rows }: Rows,
  table: string,
  condition: Expression<unknown>,
  { write = (work) => work(rows), places }: { write?: Write; places?: readonly string[] | undefined } = {},
): Promise<number> {
  let total = 0
  for (const place of places ?? (kind === 'postgres' ? await partitionsOf(rows, table) : [table]))
    total += await deleteFrom(kind, { table, place }, condition, write).catch((error: unknown) => {
      if (place === table || !isDropped(error)) throw error
      return 0
    })
  return total
}

function deleteFrom(
  kind: Database['kind'],
  { table, place }: { table: string; place: string },
  condition: Expression<unknown>,
  write: Write,
): Promise<number> {
  // Conditions name the table; a position holds within one partition.
  const from = place === table ? sql.table(table) : sql`${sql.table(place)} as ${sql.ref(table)}`
  // Some tables have no key of one column; each database has its own name for the position of a row.
  const position = sql.ref(kind === 'postgres' ? 'ctid' : 'rowid')
  // On PostgreSQL another process could change a chosen row before it is deleted. SQLite has one writer at a time.
  const lock = sql.raw(kind === 'postgres' ? 'for update' : '')
  return deleteInBatches(async (limit) => {
    const batch = sql`delete from ${from} where ${position} in
      (select ${position} from ${from} where ${condition} limit ${limit} ${lock})`
    const { numAffectedRows } = await write((own) => batch.execute(own))
    return Number(numAffectedRows ?? 0)
  })
}

/** SQLite takes up to 10 ms for this many rows with their indexes. */
const BATCH = 100
const MAX_BATCHES = 100_000

/**
 * Deletes many rows in batches, so that requests are served in between; `deleteSome` deletes at most `limit` rows and returns how
 * many. Returns their sum.
 */
export async function deleteInBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const deleted = await deleteSome(BATCH)
    total += deleted
    if (deleted < BATCH) break
    await setImmediate()
  }
  return total
}
