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
import type { InTransaction } from '../secrets/save-sealed.ts'

/** Pieces of work at a time. */
const BATCH = 100

/** Which pieces of work are meant. */
type Fits = (work: ExpressionBuilder<Schema, 'work'>) => Expression<SqlBool>

/** Called in the transaction that ends these pieces of work, before their steps are deleted; again after a crash. */
type OnEnded = (rows: Kysely<Schema>, workIds: readonly string[]) => Promise<void>

/**
 * Ends what fits and deletes it with all its steps, of which a file may have 50,000: no statement deletes many, and requests
 * are let in between. Says how many pieces of work there were. `run` says how much a statement waits for the disk.
 */
export async function deleteWork(
  { kind }: Pick<Database, 'kind'>,
  run: Database['relaxed'],
  fits: Fits,
  onEnded?: OnEnded,
): Promise<number> {
  let total = 0
  for (;;) {
    const ids = await run(async (rows) => {
      const ended = await end(rows, kind, fits)
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
    total += await run((rows) => remove(rows, ids))
  }
}

/** Nobody begins or goes on with what is done: its steps can go before it does. */
async function end(rows: Kysely<Schema>, kind: Database['kind'], fits: Fits): Promise<string[]> {
  const some = rows.selectFrom('work').select('id').where(fits).limit(BATCH)
  const ended = await rows
    .updateTable('work')
    .set({ state: 'done', owner: null })
    // When somebody is starting one of them, this waits for them, and the row no longer matches. SQLite has one writer at a time.
    .where('id', 'in', kind === 'postgres' ? some.forUpdate() : some)
    .returning('id')
    .execute()
  return ended.map(({ id }) => id)
}

/** What was scheduled again meanwhile stays. */
async function remove(rows: Kysely<Schema>, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await rows
    .deleteFrom('work')
    .where('id', 'in', ids)
    // An expression, lest SQLite prefers an index of states to the ids, and reads all that is done for each batch.
    .where(sql<boolean>`state || '' = 'done'`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Deletes all rows of a workspace from every table that is declared so, some at a time, and looks again until none is left: a request
 * that was admitted before may still write some. Work is ended first. Returns how many rows by table; rows that are parts of others
 * are not counted where they go with them. `run` runs each batch, in a transaction.
 */
export async function forgetRows(
  database: Pick<Database, 'kind' | 'rows' | 'model'>,
  workspaceId: string,
  run: InTransaction,
  onEnded: (transaction: Transaction<Schema>, workIds: readonly string[]) => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const add = (table: string, more: number) => counts.set(table, (counts.get(table) ?? 0) + more)
  // What refers to others comes before them.
  const tables = database.model.tables
    .filter(({ owner, forgotten }) => forgotten === 'deleted' && owner === 'workspace_id')
    .toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf))
    .map(({ name }) => name)
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const left = await run((rows) => tablesWithRows(rows, tables, workspaceId))
    if (left.size === 0) break
    if (left.has('work')) add('work', await deleteWorkOf(database, workspaceId, run, onEnded))
    for (const table of tables.filter((name) => left.has(name) && name !== 'work'))
      add(table, await deleteWorkspaceRows(database, workspaceId, table, run))
  }
  return counts
}

/** Requests that were admitted before the removal end within seconds. */
const MOST_LOOKS = 20

/** One statement for all tables: most of them have no rows of a workspace, and each batch is a transaction with a lock. */
async function tablesWithRows(
  rows: Transaction<Schema>,
  tables: readonly string[],
  workspaceId: string,
): Promise<ReadonlySet<string>> {
  const looks = tables.map(
    (name) =>
      sql`select ${sql.lit(name)} as name where exists (select 1 from ${sql.table(name)} where workspace_id = ${workspaceId})`,
  )
  const { rows: found } = await sql<{ name: string }>`${sql.join(looks, sql` union all `)}`.execute(rows)
  return new Set(found.map(({ name }) => name))
}

const deleteWorkOf = (
  database: Pick<Database, 'kind'>,
  workspaceId: string,
  run: InTransaction,
  onEnded: (transaction: Transaction<Schema>, workIds: readonly string[]) => Promise<void>,
): Promise<number> =>
  deleteWork(
    database,
    run,
    (row) => row('workspace_id', '=', workspaceId),
    // `run` gives a transaction.
    (rows, ids) => onEnded(rows as Transaction<Schema>, ids),
  )
