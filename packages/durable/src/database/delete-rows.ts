import { setImmediate } from 'node:timers/promises'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'

type Rows = Pick<Database, 'kind' | 'rows'>
/** Runs each batch. By default, a batch runs directly on the database. */
type Write = Database['relaxed']

/** Deletes all rows of a workspace from a table, one batch at a time. Returns how many it deleted. */
export const deleteWorkspaceRows = (
  database: Rows,
  workspaceId: string,
  table: string,
  write?: Write,
): Promise<number> => deleteWhere(database, table, sql`workspace_id = ${workspaceId}`, write)

/** Deletes expired rows in batches, as their tables declare. Returns how many by table. */
export async function sweepRows(
  database: Rows & Pick<Database, 'model' | 'relaxed'>,
  time: DatabaseTime,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { name, swept } of database.model.tables)
    for (const { at, afterMs, only = 'true' } of swept) {
      const isExpired = sql<SqlBool>`${sql.ref(at)} < ${time(-afterMs)} and ${sql.raw(only)}`
      const deleted = await deleteWhere(database, name, isExpired, database.relaxed)
      counts.set(name, (counts.get(name) ?? 0) + deleted)
    }
  return counts
}

/** Whether any row of the workspace exists. */
export async function hasWorkspaceRows(
  { rows, model }: Pick<Database, 'rows' | 'model'>,
  workspaceId: string,
): Promise<boolean> {
  for (const { name, owner } of model.tables) {
    if (owner === undefined) continue
    const found = await sql`
      select 1 from ${sql.table(name)} where ${sql.raw(owner)} = ${workspaceId} limit 1`.execute(rows)
    if (found.rows.length > 0) return true
  }
  return false
}

/** The workspaces that have rows in a table. Reads a row for each of them, not every row. */
export async function listWorkspaces({ rows }: Pick<Database, 'rows'>, table: string): Promise<string[]> {
  const from = sql.table(table)
  const found = await sql<{ id: string }>`
    with recursive found(id) as (select min(workspace_id) from ${from}
      union all select (select min(workspace_id) from ${from} where workspace_id > found.id) from found where found.id is not null)
    select id from found where id is not null`.execute(rows)
  return found.rows.map(({ id }) => id)
}

/** Deletes the matching rows of a table in batches. Returns how many it deleted. */
export function deleteWhere(
  { kind, rows }: Rows,
  table: string,
  condition: Expression<unknown>,
  write: Write = (work) => work(rows),
): Promise<number> {
  const from = sql.table(table)
  // Row positions instead of keys, because some tables have composite keys. In a partitioned table, a position is only unique
  // within its partition.
  const position = sql.raw(kind === 'postgres' ? 'tableoid, ctid' : 'rowid')
  // On PostgreSQL, another process could change a selected row before it's deleted. SQLite has only one writer.
  const lock = sql.raw(kind === 'postgres' ? 'for update' : '')
  return deleteInBatches(async (limit) => {
    const batch = sql`delete from ${from} where (${position}) in
      (select ${position} from ${from} where ${condition} limit ${limit} ${lock})`
    const { numAffectedRows } = await write((connection) => batch.execute(connection))
    return Number(numAffectedRows ?? 0)
  })
}

/** SQLite takes up to 10 ms for this many rows with their indexes. */
const BATCH_SIZE = 100
const MAX_BATCHES = 100_000

/**
 * Deletes many rows in batches, so that requests are served in between. `deleteSome` deletes at most `limit` rows and returns how
 * many. Returns the total.
 */
export async function deleteInBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const deleted = await deleteSome(BATCH_SIZE)
    total += deleted
    if (deleted < BATCH_SIZE) break
    await setImmediate()
  }
  return total
}
