import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Processes } from '../database/processes.ts'
import { type Rows, rowsIn, updateIn, type WorkState } from '../database/schema.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { dueAtTouch, type Lease, SLEWED_MS, workClaims } from './claim-work.ts'

/** How a process releases a piece of work. Waiting: any process may begin it again after `dueInMs`. */
export type WorkEnd =
  /** `isAnew`: this turn of it is done, so its attempts are counted from zero, and nobody wants it to stop. */
  | { state: 'waiting'; dueInMs: number; isAnew?: boolean }
  /** `isEmptied`: the body is of no use any more and is not kept. */
  | { state: 'stopped' | 'done'; isEmptied?: boolean }

/** Values of one statement. */
const AT_ONCE = 500

/** Which process has which work, by the database's clock, so that processes need not agree about the time. */
export function workLeases(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  processes: Pick<Processes, 'signOfLife' | 'leave'>,
) {
  const { rows, kind } = database
  return {
    ...workClaims(database, time, keys),
    ...workReleases(rows, time),
    /** The owner ends, and gives no more signs. */
    leave: processes.leave,

    /**
     * Makes work due that was put off at a time that now lies in the future: the database's clock was set back since, and the work would
     * wait for that much longer. Work that is not due yet by its own account says so when it is begun.
     */
    async bringForward(): Promise<void> {
      const ahead = rows
        .selectFrom('work')
        .select('id')
        .where('state', '=', 'waiting')
        .where('touched_at', '>', time(SLEWED_MS))
        .limit(AT_ONCE)
      await rows
        .updateTable('work')
        .set({ due_at: time(), touched_at: time() })
        .where('id', 'in', kind === 'postgres' ? ahead.forUpdate().skipLocked() : ahead)
        .execute()
    },

    /**
     * Gives a sign of life: one row, however much the owner has. Returns what it has, id → whether somebody has asked it to stop;
     * an id that is missing is lost.
     */
    async renew(owner: string): Promise<ReadonlyMap<string, boolean>> {
      // Before the look: whoever takes something over locks the row of its process, so that this waits and then sees it.
      await processes.signOfLife(owner)
      const held = await rowsIn(rows, 'work', { state: 'running', owner })
        .clearSelect()
        .select(['id', 'wants_stop'])
        .execute()
      return new Map(held.map(({ id, wants_stop }) => [id, wants_stop === 1]))
    },

    /** All work that any process has. */
    async leases(): Promise<Lease[]> {
      const held = await rows
        .selectFrom('work')
        .leftJoin('process', 'process.id', 'work.owner')
        .select(['work.id', 'workspace_id', 'kind', 'owner', 'seen_at', 'wants_stop'])
        .where('state', '=', 'running')
        .execute()
      return held.map((row) => ({
        id: row.id,
        workspaceId: row.workspace_id,
        kind: row.kind,
        owner: row.owner ?? '',
        seenAt: row.seen_at ?? '',
        wantsStop: row.wants_stop === 1,
      }))
    },

    /** Asks the owners of these to give them back; does nothing for those that they have given back by then. */
    async askFor(held: readonly Lease[]): Promise<void> {
      for (const [owner, own] of Map.groupBy(held, (lease) => lease.owner)) {
        const ids = own.map(({ id }) => id)
        const theirs = rows.updateTable('work').where('id', 'in', ids).where('owner', '=', owner)
        await theirs.where('state', '=', 'running').set({ wants_stop: 1 }).execute()
      }
    },

    /** Waits until the database would take a write: takes the write lock, and changes no row. Throws when it does not. */
    async proveWritable(): Promise<void> {
      await updateIn(rows, 'work', { id: '' }, { wanted_again: 0 })
    },
  }
}

function workReleases(rows: Rows, time: DatabaseTime) {
  return {
    /** Asks that running work is done once more. False when it is over already, or deleted. */
    async again(id: string): Promise<boolean> {
      const { numUpdatedRows } = await rows
        .updateTable('work')
        .set({ wanted_again: sql<number>`case when state = 'running' then 1 else wanted_again end` })
        .where('id', '=', id)
        .where('state', 'in', ['waiting', 'running'])
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /** Releases the work, which waits once more when it was wanted again. Does nothing when another process has taken it over. */
    async release(id: string, owner: string, end: WorkEnd): Promise<void> {
      const again = sql<number>`wanted_again = 1`
      const afterwards =
        end.state === 'waiting'
          ? { state: end.state, ...(end.isAnew && { attempts: 0, wants_stop: 0 }) }
          : {
              state: sql<WorkState>`case when ${again} then 'waiting' else ${end.state} end`,
              ...(end.isEmptied && {
                sealed_body: sql<string>`case when ${again} then sealed_body else null end`,
              }),
            }
      const dueAt = end.state === 'waiting' ? time(end.dueInMs) : sql.ref<string>('due_at')
      await updateIn(
        rows,
        'work',
        { id, owner, state: 'running' },
        {
          ...afterwards,
          due_at: sql<string>`case when ${again} then ${dueAtTouch(time)} else ${dueAt} end`,
          wanted_again: 0,
          owner: null,
          touched_at: time(),
        },
      )
    },
  }
}

export const DONE: WorkEnd = { state: 'done' }

/** This turn of it is done, and the next one comes after this time: its attempts are counted from zero. */
export const repeatAfter = (dueInMs: number): WorkEnd => ({ state: 'waiting', dueInMs, isAnew: true })
