import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteInBatches, deleteWorkspaceRows } from '../database/delete-rows.ts'
import type { Schema } from '../database/schema.ts'
import type { InTransaction } from '../secrets/sealed-rows.ts'

/** Pieces of work per batch. */
const BATCH_SIZE = 100

/** Selects pieces of work. */
type WorkFilter = (work: ExpressionBuilder<Schema, 'work'>) => Expression<SqlBool>

/**
 * Called in the transaction that ends these pieces of work, before their steps are deleted. May be called again after a crash.
 */
type OnEnded = (rows: Kysely<Schema>, workIds: readonly string[]) => Promise<void>

/**
 * Ends the selected work and deletes it with all its steps, in small statements, because a job may have 50,000 steps and requests
 * need to run in between. Returns the number of pieces deleted. `run` runs each statement, and decides whether it waits for the disk.
 */
export async function deleteWork(
  { kind }: Pick<Database, 'kind'>,
  run: Database['relaxed'],
  filter: WorkFilter,
  onEnded?: OnEnded,
): Promise<number> {
  let total = 0
  for (;;) {
    const ids = await run(async (rows) => {
      const ended = await endWork(rows, kind, filter)
      await onEnded?.(rows, ended)
      return ended
    })
    if (ids.length === 0) return total
    await deleteInBatches(async (limit) => {
      const { numDeletedRows } = await run((rows) =>
        rows
          .deleteFrom('work_step')
          .where(
            'id',
            'in',
            rows.selectFrom('work_step').select('id').where('work_id', 'in', ids).limit(limit),
          )
          .executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    })
    total += await run((rows) => deleteEndedWork(rows, ids))
  }
}

/** Marks work as done. No process begins or continues it after that, so its steps can be deleted first. */
async function endWork(rows: Kysely<Schema>, kind: Database['kind'], filter: WorkFilter): Promise<string[]> {
  const selected = rows.selectFrom('work').select('id').where(filter).limit(BATCH_SIZE)
  const ended = await rows
    .updateTable('work')
    .set({ state: 'done', owner: null })
    // If someone is starting one of them, this waits, and the row no longer matches. SQLite has only one writer at a time.
    .where('id', 'in', kind === 'postgres' ? selected.forUpdate() : selected)
    .returning('id')
    .execute()
  return ended.map(({ id }) => id)
}

/** Deletes the work, except for work that was scheduled again meanwhile. */
async function deleteEndedWork(rows: Kysely<Schema>, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await rows
    .deleteFrom('work')
    .where('id', 'in', ids)
    // An expression, so that SQLite uses the IDs instead of the state index, which would read all finished work for each batch.
    .where(sql<boolean>`state || '' = 'done'`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Deletes all rows of a workspace from the tables declared with `forgotten: 'deleted'`, in batches. Repeats that until no row is
 * left, because requests admitted earlier may still write some. Work is ended first. Returns the number of rows by table. Rows
 * that are deleted along with their parent aren't counted. `run` runs each batch in a transaction.
 */
export async function forgetRows(
  database: Pick<Database, 'kind' | 'rows' | 'model'>,
  workspaceId: string,
  run: InTransaction,
  onEnded: (transaction: Transaction<Schema>, workIds: readonly string[]) => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const isOwn: WorkFilter = (row) => row('workspace_id', '=', workspaceId)
  // `run` provides a transaction.
  const endInTransaction: OnEnded = (rows, ids) => onEnded(rows as Transaction<Schema>, ids)
  const add = (table: string, more: number) => counts.set(table, (counts.get(table) ?? 0) + more)
  // Delete referencing rows before the rows that they reference.
  const tables = database.model.tables
    .filter(({ owner, forgotten }) => forgotten === 'deleted' && owner === 'workspace_id')
    .toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf))
    .map(({ name }) => name)
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const remaining = await run((rows) => findTablesWithRows(rows, tables, workspaceId))
    if (remaining.size === 0) break
    if (remaining.has('work')) add('work', await deleteWork(database, run, isOwn, endInTransaction))
    for (const table of tables.filter((name) => remaining.has(name) && name !== 'work'))
      add(table, await deleteWorkspaceRows(database, workspaceId, table, run))
  }
  return counts
}

/** More than enough, because requests that were admitted before the removal end within seconds. */
const MAX_PASSES = 20

/** Finds the tables with rows of the workspace in one statement. Most have none, and each batch is a transaction with a lock. */
async function findTablesWithRows(
  rows: Transaction<Schema>,
  tables: readonly string[],
  workspaceId: string,
): Promise<ReadonlySet<string>> {
  const selects = tables.map(
    (name) =>
      sql`select ${sql.lit(name)} as name where exists (select 1 from ${sql.table(name)} where workspace_id = ${workspaceId})`,
  )
  const { rows: found } = await sql<{ name: string }>`${sql.join(selects, sql` union all `)}`.execute(rows)
  return new Set(found.map(({ name }) => name))
}
