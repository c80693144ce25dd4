import { setImmediate } from 'node:timers/promises'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'

type Rows = Pick<Database, 'kind' | 'rows'>
/** Runs each batch; without one it runs on the database's rows. */
type Write = Database['relaxed']

/** Deletes all rows of a workspace from a table, one batch at a time. Returns how many it deleted. */
export const deleteWorkspaceRows = (
  database: Rows,
  workspaceId: string,
  table: string,
  write?: Write,
): Promise<number> => deleteWhere(database, table, sql`workspace_id = ${workspaceId}`, write)

/** Deletes the rows that their tables declare as over, some at a time. Returns how many by table. */
export async function sweepRows(
  database: Rows & Pick<Database, 'model' | 'relaxed'>,
  time: DatabaseTime,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { name, swept } of database.model.tables)
    for (const { at, afterMs, only = 'true' } of swept) {
      const isOver = sql<SqlBool>`${sql.ref(at)} < ${time(-afterMs)} and ${sql.raw(only)}`
      const deleted = await deleteWhere(database, name, isOver, database.relaxed)
      counts.set(name, (counts.get(name) ?? 0) + deleted)
    }
  return counts
}

/** Deletes the rows of a table that match, one batch at a time. Returns how many it deleted. */
export function deleteWhere(
  { kind, rows }: Rows,
  table: string,
  condition: Expression<unknown>,
  write: Write = (work) => work(rows),
): Promise<number> {
  const from = sql.table(table)
  // Some tables have no key of one column; each database has its own name for the position of a row. Of a table that somebody has
  // partitioned, a position holds within one partition.
  const position = sql.raw(kind === 'postgres' ? 'tableoid, ctid' : 'rowid')
  // On PostgreSQL another process could change a chosen row before it is deleted. SQLite has one writer at a time.
  const lock = sql.raw(kind === 'postgres' ? 'for update' : '')
  return deleteInBatches(async (limit) => {
    const batch = sql`delete from ${from} where (${position}) in
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
