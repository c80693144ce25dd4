import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteInBatches, deleteRowsOf } from '../database/delete-rows.ts'
import type { Schema } from '../database/schema.ts'

/** Pieces of work at a time. */
const BATCH = 100

/** Which pieces of work are meant. */
export type Fits = (work: ExpressionBuilder<Schema, 'work'>) => Expression<SqlBool>

/**
 * Ends what fits and deletes it with all its steps, of which a file may have 50,000: no statement deletes many, and requests
 * are let in between. Says how many pieces of work there were. `run` says how much a statement waits for the disk.
 */
export async function deleteWork(
  { kind }: Pick<Database, 'kind'>,
  run: Database['relaxed'],
  fits: Fits,
): Promise<number> {
  let total = 0
  for (;;) {
    const ids = await run((rows) => end(rows, kind, fits))
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
 * table; rows that are parts of others are not counted where they go with them.
 */
export async function forgetRows(
  database: Pick<Database, 'kind' | 'rows' | 'model'>,
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const work = await deleteWork(
    database,
    (doing) => doing(database.rows),
    (row) => row('workspace_id', '=', workspaceId),
  )
  const counts = new Map([['work', work]])
  const deleted = database.model.tables.filter(
    ({ name, owner, forgotten }) => forgotten === 'deleted' && owner === 'workspace_id' && name !== 'work',
  )
  // What refers to others comes before them.
  for (const { name } of deleted.toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf)))
    counts.set(name, await deleteRowsOf(database, workspaceId, name))
  return counts
}
