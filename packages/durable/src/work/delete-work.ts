import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteInBatches, deleteRowsOf } from '../database/delete-rows.ts'
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
 * Deletes all rows of a workspace from every table that is declared so, some at a time. Work is ended first. Returns how many rows by
 * table; rows that are parts of others are not counted where they go with them. `run` runs each batch, in a transaction.
 */
export async function forgetRows(
  database: Pick<Database, 'kind' | 'rows' | 'model'>,
  workspaceId: string,
  run: InTransaction,
  onEnded: (transaction: Transaction<Schema>, workIds: readonly string[]) => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const work = await deleteWork(
    database,
    run,
    (row) => row('workspace_id', '=', workspaceId),
    // `run` gives a transaction.
    (rows, ids) => onEnded(rows as Transaction<Schema>, ids),
  )
  const counts = new Map([['work', work]])
  const deleted = database.model.tables.filter(
    ({ name, owner, forgotten }) => forgotten === 'deleted' && owner === 'workspace_id' && name !== 'work',
  )
  // What refers to others comes before them.
  for (const { name } of deleted.toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf)))
    counts.set(name, await deleteRowsOf(database, workspaceId, name, run))
  return counts
}
