import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Processes } from '../database/processes.ts'
import { type Rows, selectRows, updateRows, type WorkState } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import { createWorkClaims, currentDueTime, type Lease, MAX_SLEW_MS } from './claim-work.ts'

/** How a process releases a piece of work. */
export type WorkEnd =
  /** Any process may begin it again after `dueInMs`. `isSuccess`: this run succeeded, so attempts are counted from zero again, and a pending request to stop is cleared. */
  | { state: 'waiting'; dueInMs: number; isSuccess?: boolean }
  /** `deletesBody`: the body is no longer needed and is deleted. */
  | { state: 'stopped' | 'done'; deletesBody?: boolean }

const ROWS_PER_STATEMENT = 500

/** Records which process has which work, by the database's clock, so that processes' clocks don't have to agree. */
export function createWorkLeases(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  processes: Pick<Processes, 'heartbeat' | 'leave'>,
) {
  const { rows, kind } = database
  return {
    ...createWorkClaims(database, time, keys),
    ...createWorkReleases(rows, time),
    /** The owner is shutting down and stops sending heartbeats. */
    leave: processes.leave,

    /**
     * After the database's clock was set back, the last write of some work is in the future. Makes that work due now. Otherwise, it
     * would wait until the clock catches up. Work that shouldn't run yet reschedules itself when it begins.
     */
    async makeDueAfterClockChange(): Promise<void> {
      const futureRows = rows
        .selectFrom('work')
        .select('id')
        .where('state', '=', 'waiting')
        .where('touched_at', '>', time(MAX_SLEW_MS))
        .limit(ROWS_PER_STATEMENT)
      await rows
        .updateTable('work')
        .set({ due_at: time(), touched_at: time() })
        .where('id', 'in', kind === 'postgres' ? futureRows.forUpdate().skipLocked() : futureRows)
        .execute()
    },

    /**
     * Sends a heartbeat by updating one row, however much work the owner has. Returns a map from the ID of
     * each piece to whether someone asked to stop it. If a piece is missing from the map, the owner has lost its lease.
     */
    async renew(owner: string): Promise<ReadonlyMap<string, boolean>> {
      // Update before reading: a takeover locks the process row, so this waits for it and then sees it.
      await processes.heartbeat(owner)
      const leasedRows = await selectRows(rows, 'work', { state: 'running', owner })
        .clearSelect()
        .select(['id', 'wants_stop'])
        .execute()
      return new Map(leasedRows.map(({ id, wants_stop }) => [id, wants_stop === 1]))
    },

    /** Takes the write lock without changing a row. Throws if the database doesn't accept writes within its timeout. */
    async checkWritable(): Promise<void> {
      await updateRows(rows, 'work', { id: '' }, { wanted_again: 0 })
    },

    /** All claimed work of all processes. */
    async listLeases(): Promise<Lease[]> {
      const found = await rows
        .selectFrom('work')
        .select(['id', 'workspace_id as workspaceId', 'kind', 'owner'])
        .where('state', '=', 'running')
        .execute()
      return found.map((row) => ({ ...row, owner: row.owner ?? '' }))
    },
  }
}

function createWorkReleases(rows: Rows, time: DatabaseTime) {
  return {
    /** Makes running work run once more. Waiting work runs anyway. False if it has already ended or was deleted. */
    async requestRerun(id: string): Promise<boolean> {
      const { numUpdatedRows } = await rows
        .updateTable('work')
        .set({ wanted_again: sql<number>`case when state = 'running' then 1 else wanted_again end` })
        .where('id', '=', id)
        .where('state', 'in', ['waiting', 'running'])
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /** Releases the work, which waits again if another run was requested. Does nothing if another process has taken it over. */
    async release(id: string, owner: string, end: WorkEnd): Promise<void> {
      const runsAgain = sql<number>`wanted_again = 1`
      const afterwards =
        end.state === 'waiting'
          ? { state: end.state, ...(end.isSuccess && { attempts: 0, wants_stop: 0 }) }
          : {
              state: sql<WorkState>`case when ${runsAgain} then 'waiting' else ${end.state} end`,
              ...(end.deletesBody && {
                sealed_body: sql<string>`case when ${runsAgain} then sealed_body else null end`,
              }),
            }
      const dueAt = end.state === 'waiting' ? time(end.dueInMs) : sql.ref<string>('due_at')
      await updateRows(
        rows,
        'work',
        { id, owner, state: 'running' },
        {
          ...afterwards,
          due_at: sql<string>`case when ${runsAgain} then ${currentDueTime(time)} else ${dueAt} end`,
          wanted_again: 0,
          owner: null,
          touched_at: time(),
        },
      )
    },
  }
}

export const DONE: WorkEnd = { state: 'done' }

/** This run is done. The next one is due after this delay, and attempts are counted from zero. */
export const repeatAfter = (dueInMs: number): WorkEnd => ({ state: 'waiting', dueInMs, isSuccess: true })
