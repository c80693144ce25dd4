import { type ExpressionBuilder, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { WorkKey } from './schedule.ts'
import { createWorkReader, type Work } from './work-row.ts'

/** A piece of work that a process has claimed. */
export interface Lease {
  readonly id: string
  readonly workspaceId: string
  readonly kind: string
  readonly owner: string
}

/** The most rows to read in one statement. */
const MAX_LISTED = 1000

/** Claims work for a process: due work, one specific piece, or work of a process that is gone. */
export function createWorkClaims({ kind: databaseKind, rows }: Database, time: DatabaseTime, keys: Sealer) {
  const reader = createWorkReader(keys)

  /** The processes without a heartbeat for this long. A heartbeat in the future is from before the clock was set back. */
  const isAlive = (owner: string, leaseMs: number) =>
    sql<boolean>`exists (select 1 from process p where p.id = ${sql.ref(owner)}
      and p.seen_at between ${time(-leaseMs)} and ${time(leaseMs)})`

  return {
    /**
     * Claims up to `limit` due pieces of these kinds, and for each workspace an equal number of them, at most `perWorkspace`. Those
     * in `except` get none. Of two processes that find the same piece, one gets it.
     */
    async claimDue(
      owner: string,
      kinds: readonly string[],
      limit: number,
      {
        perWorkspace = limit,
        except = [],
      }: { perWorkspace?: number; except?: readonly string[] | undefined } = {},
    ): Promise<Work[]> {
      const isDue = (work: ExpressionBuilder<Schema, 'work'>) =>
        work.and([work('state', '=', 'waiting'), work('due_at', '<=', time()), work('kind', 'in', kinds)])
      const due = await rows
        .selectFrom('work')
        .select(({ fn }) => ['workspace_id', fn.min('due_at').as('since')])
        .where(isDue)
        .$if(except.length > 0, (query) => query.where('workspace_id', 'not in', except))
        .groupBy('workspace_id')
        .orderBy('since')
        .limit(limit)
        .execute()
      if (due.length === 0) return []
      const each = Math.min(perWorkspace, Math.floor(limit / due.length))
      const oldest = sql`select id from work where workspace_id = wanted.value and state = 'waiting'
        and due_at <= ${time()} and kind in (${sql.join(kinds)}) order by due_at limit ${sql.lit(each)}`
      const ids = JSON.stringify(due.map(({ workspace_id }) => workspace_id))
      const wanted =
        databaseKind === 'postgres' ? sql`json_array_elements_text(${ids}::json)` : sql`json_each(${ids})`
      const found = await rows
        .updateTable('work')
        .set(claimColumns(owner, time))
        .where(sql<boolean>`id in (select x.id from ${wanted} as wanted join work x on x.id in (${oldest}))`)
        // Check the row again, because another process may have been faster.
        .where('state', '=', 'waiting')
        .returningAll()
        .execute()
      return reader.readRows(found)
    },

    /** Claims this piece if it's waiting, due, and unclaimed. */
    async claim({ workspaceId, kind, key }: WorkKey, owner: string): Promise<Work | undefined> {
      const row = await rows
        .updateTable('work')
        .set(claimColumns(owner, time))
        .where((work) => work.and({ workspace_id: workspaceId, kind, key, state: 'waiting' }))
        .where('due_at', '<=', time())
        .returningAll()
        .executeTakeFirst()
      return row && reader.readRow(row)
    },

    /** The work of processes that are gone. */
    async listAbandoned(leaseMs: number): Promise<Lease[]> {
      const found = await rows
        .selectFrom('work')
        .select(['id', 'workspace_id as workspaceId', 'kind', 'owner'])
        .where('state', '=', 'running')
        .where(({ not }) => not(isAlive('work.owner', leaseMs)))
        .limit(MAX_LISTED)
        .execute()
      return found.map((row) => ({ ...row, owner: row.owner ?? '' }))
    },

    /** Takes over a piece, unless its owner is alive, has released it, or another process was faster. */
    async takeOver(
      lease: Pick<Lease, 'id' | 'owner'>,
      owner: string,
      leaseMs = 0,
    ): Promise<Work | undefined> {
      const row = await rows.transaction().execute(async (transaction) => {
        // A heartbeat of that process waits here, and then finds the work gone.
        const process = transaction.selectFrom('process').select('id').where('id', '=', lease.owner)
        await (databaseKind === 'postgres' ? process.forUpdate() : process).execute()
        return await transaction
          .updateTable('work')
          .set(claimColumns(owner, time))
          .where((work) => work.and({ id: lease.id, state: 'running', owner: lease.owner }))
          .$if(lease.owner !== owner && leaseMs > 0, (update) =>
            update.where(({ not }) => not(isAlive('work.owner', leaseMs))),
          )
          .returningAll()
          .executeTakeFirst()
      })
      return row && reader.readRow(row)
    },
  }
}

/** While a clock is slewed, a timestamp may be slightly in the future. */
export const MAX_SLEW_MS = 1000

/**
 * The due time of work that is written now. If its last write is in the future, the clock was set back, so the work is due
 * immediately.
 */
export const currentDueTime = (time: DatabaseTime) =>
  sql<string>`case when touched_at > ${time(MAX_SLEW_MS)} then ${time()} else due_at end`

const claimColumns = (owner: string, time: DatabaseTime) => ({
  state: 'running' as const,
  owner,
  due_at: currentDueTime(time),
  touched_at: time(),
  attempts: sql<number>`attempts + 1`,
})
