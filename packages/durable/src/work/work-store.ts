// This folder stores work and its steps.

import { currentReference, newId } from '@signalman/runtime'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { DecisionTransaction } from '../audit/audit.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { CommitUnknown, isServerRejection } from '../database/errors.ts'
import type { Processes } from '../database/processes.ts'
import { type Schema, selectRows, updateRows, type WorkRow, type WorkState } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import { deleteWork } from './delete-work.ts'
import { schedule, type WorkKey } from './schedule.ts'
import { type NewWork, newWorkRow, readWork, sealWorkBody, WORK_KEY, type Work } from './work-row.ts'

/** `over`: the work no longer exists, or is in a state in which it can't be started or stopped. */
type StartResult = 'started' | 'over'
type StopResult = 'asked' | 'stopped' | 'over'

/** A piece of work that a process has claimed. */
export interface Lease {
  readonly id: string
  readonly workspaceId: string
  readonly kind: string
  readonly owner: string
  /** False if the owner sent no heartbeat for the time of a lease. */
  readonly isOwnerAlive: boolean
}

/** How a process releases a piece of work. */
export type WorkEnd =
  /** Any process may begin it again after `dueInMs`. `isSuccess`: this run succeeded, so attempts are counted from zero again, and a pending request to stop is cleared. */
  | { state: 'waiting'; dueInMs: number; isSuccess?: boolean }
  /** `deletesBody`: the body is no longer needed and is deleted. */
  | { state: 'stopped' | 'done'; deletesBody?: boolean }

export const DONE: WorkEnd = { state: 'done' }

/** This run is done. The next one is due after this delay, and attempts are counted from zero. */
export const repeatAfter = (dueInMs: number): WorkEnd => ({ state: 'waiting', dueInMs, isSuccess: true })

/** The most rows per statement. */
const MAX_ROWS = 1000
const MAX_OPEN = 50
/** While a clock is slewed, a timestamp may be slightly in the future. */
const MAX_SLEW_MS = 1000
const ID = /^[A-Za-z0-9_.-]{10,64}$/

export type WorkStore = ReturnType<typeof createWorkStore>

/** What the engine needs of it: the seam for another store. */
export type EngineStore = Pick<
  WorkStore,
  | 'begin'
  | 'listDueKinds'
  | 'claimDue'
  | 'takeOver'
  | 'listLeases'
  | 'renew'
  | 'release'
  | 'leave'
  | 'makeDueAfterClockChange'
>

/** Stores work in `work`, and which process has it, by the database's clock, so that processes' clocks don't have to agree. */
export function createWorkStore(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  processes: Pick<Processes, 'heartbeat' | 'leave'>,
) {
  return {
    ...createLookups(database, keys),
    ...createAdditions(database, time, keys),
    ...createWorkClaims(database, time, keys),
    ...createLeases(database, time, processes),
    ...createUpkeep(database, time, keys),
    /** What a person's decision adds, starts, and stops. */
    within(decisions: DecisionTransaction) {
      const rows = decisions.transaction
      const { add } = createAdditions({ kind: database.kind, rows }, time, keys)
      return { add, ...createControls(decisions, time, keys) }
    },
  }
}

function createLookups({ rows }: Pick<Database, 'rows'>, keys: Sealer) {
  return {
    /** Undefined for another workspace's work. */
    async find(workspaceId: string, id: string): Promise<Work | undefined> {
      if (!ID.test(id)) return undefined
      const row = await selectRows(rows, 'work', { id, workspace_id: workspaceId }).executeTakeFirst()
      return row && readWork(keys, row)
    },

    /** The workspace's waiting and running work of these kinds, oldest first, at most 50. */
    async listOpen(workspaceId: string, kinds: readonly string[]): Promise<Work[]> {
      const found = await selectRows(rows, 'work', { workspace_id: workspaceId })
        .where('kind', 'in', kinds)
        .where('state', 'in', ['waiting', 'running'])
        .orderBy('made_at')
        .limit(MAX_OPEN)
        .execute()
      return found.map((row) => readWork(keys, row))
    },
  }
}

function createAdditions(
  { rows, kind: databaseKind }: Pick<Database, 'kind' | 'rows'>,
  time: DatabaseTime,
  keys: Sealer,
) {
  /** Returns no row if the kind and key already exist. Returns the failure if the row may have been committed anyway. */
  async function insertClaimed(
    work: NewWork,
    id: string,
    owner: string,
    atCommit: (() => void) | undefined,
  ): Promise<{ row?: Selectable<WorkRow> | undefined; failure?: unknown }> {
    let isCommitting = false
    const inserting = rows.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('work')
        .values({ ...newWorkRow(time, work, 'running', keys, id), owner, attempts: 1 })
        .onConflict((conflict) => conflict.columns(WORK_KEY).doNothing())
        .returningAll()
        .executeTakeFirst()
      atCommit?.()
      isCommitting = true
      return row
    })
    try {
      return { row: await inserting }
    } catch (failure) {
      if (!isCommitting || isServerRejection(failure)) throw failure
      if (databaseKind === 'postgres') throw new CommitUnknown(failure)
      // With a database file on this machine, reading the row gives the answer, because no commit can still be in progress.
      return { failure }
    }
  }

  return {
    /** Adds work, on disk when this returns. Prepared work waits for `start`. If its key exists, returns that work's ID. */
    async add(work: NewWork, state: 'prepared' | 'waiting'): Promise<string> {
      // The update changes nothing. It only makes the statement return the existing row's ID.
      const { id } = await rows
        .insertInto('work')
        .values(newWorkRow(time, work, state, keys))
        .onConflict((conflict) => conflict.columns(WORK_KEY).doUpdateSet({ kind: work.kind }))
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /**
     * Adds work, optionally with this ID, and gives it to the owner. If a row with its kind and key exists, returns that row in
     * any state, and `isNew` is false unless an earlier try of this call added it. On disk when this returns. `atCommit` is called
     * right before the commit, and cancels it by throwing. Throws CommitUnknown if nobody can tell whether it was committed. Any other
     * error means that it wasn't.
     */
    async begin(
      { id = newId(), ...work }: NewWork & { id?: string; key: string },
      owner: string,
      atCommit?: () => void,
    ): Promise<{ work: Work; isNew: boolean }> {
      for (;;) {
        const { row, failure } = await insertClaimed(work, id, owner, atCommit)
        if (row) return { work: readWork(keys, row), isNew: true }
        const { workspaceId: workspace_id, kind, key } = work
        const existing = await selectRows(rows, 'work', { workspace_id, kind, key }).executeTakeFirst()
        const isOwn = existing?.id === id && existing.owner === owner && existing.attempts === 1
        // The conflicting row may be gone by now, because its work ended or its workspace was forgotten.
        if (existing) return { work: readWork(keys, existing), isNew: isOwn }
        if (failure !== undefined) throw failure
      }
    },

    /** Schedules work for this time (by default now), replacing its earlier due time. Running work runs once more. */
    schedule: (workKey: WorkKey, dueAt?: Date): Promise<void> => schedule(rows, time, workKey, dueAt),

    /** Schedules work after this delay, unless it's already waiting or running. Work that was given up is scheduled again. */
    async ensure(workKey: WorkKey, dueInMs: number): Promise<void> {
      await rows
        .insertInto('work')
        .values({ ...newWorkRow(time, workKey, 'waiting'), due_at: time(dueInMs) })
        .onConflict((conflict) =>
          conflict
            .columns(WORK_KEY)
            .doUpdateSet((row) => ({
              state: 'waiting',
              due_at: row.ref('excluded.due_at'),
              touched_at: row.ref('excluded.touched_at'),
              attempts: 0,
            }))
            .where('work.state', '=', 'stopped'),
        )
        .execute()
    },
  }
}

/**
 * The due time of work that is written now. If its last write is in the future, the clock was set back, so the work is due
 * immediately.
 */
const currentDueTime = (time: DatabaseTime) =>
  sql<string>`case when touched_at > ${time(MAX_SLEW_MS)} then ${time()} else due_at end`

const claimColumns = (owner: string, time: DatabaseTime) => ({
  state: 'running' as const,
  owner,
  due_at: currentDueTime(time),
  touched_at: time(),
  attempts: sql<number>`attempts + 1`,
})

/** Whether the owner has sent a heartbeat within this time. One in the future is from before the clock was set back. */
const isAlive = (time: DatabaseTime, leaseMs: number) =>
  sql<boolean>`exists (select 1 from process p where p.id = work.owner
    and p.seen_at between ${time(-leaseMs)} and ${time(leaseMs)})`

/** Claims work for a process: due work, or work of a process that is gone. */
function createWorkClaims({ kind: databaseKind, rows }: Database, time: DatabaseTime, keys: Sealer) {
  return {
    /** The kinds of which something is due. Most of the time nothing is, and one question says so for all kinds. */
    async listDueKinds(): Promise<ReadonlySet<string>> {
      const due = rows.selectFrom('work').select('kind').distinct().where('state', '=', 'waiting')
      return new Set((await due.where('due_at', '<=', time()).execute()).map(({ kind }) => kind))
    },

    /**
     * Claims up to `limit` due pieces of these kinds, and for each workspace an equal number of them, at most `perWorkspace`: the oldest,
     * of people who have nothing of these kinds running first. Those in `except` get none. Of two processes that find the same piece, one gets it.
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
      const due = await rows
        .selectFrom('work')
        .select(['workspace_id', sql<string>`min(due_at)`.as('since')])
        .where('state', '=', 'waiting')
        .where('due_at', '<=', time())
        .where('kind', 'in', kinds)
        .$if(except.length > 0, (query) => query.where('workspace_id', 'not in', except))
        .groupBy('workspace_id')
        .orderBy('since')
        .limit(limit)
        .execute()
      if (due.length === 0) return []
      const each = Math.min(perWorkspace, Math.floor(limit / due.length))
      // Of whoever has some of it running, more comes after that of colleagues.
      const busy = sql`select person_id from work as begun where state = 'running' and kind in (${sql.join(kinds)})`
      const oldest = sql`select id from work where workspace_id = wanted.value and state = 'waiting'
        and due_at <= ${time()} and kind in (${sql.join(kinds)})
        order by case when person_id in (${busy}) then 1 else 0 end, due_at limit ${sql.lit(each)}`
      const ids = JSON.stringify(due.map(({ workspace_id }) => workspace_id))
      // On PostgreSQL, a process that claims at the same time skips these rows instead of waiting for them and then getting none. As an
      // array, the rows are chosen only once.
      const isChosen =
        databaseKind === 'postgres'
          ? sql<boolean>`id = any(array(select x.id from json_array_elements_text(${ids}::json) as wanted
              cross join lateral (${oldest} for update skip locked) x))`
          : sql<boolean>`id in (select x.id from json_each(${ids}) as wanted join work x on x.id in (${oldest}))`
      const found = await rows
        .updateTable('work')
        .set(claimColumns(owner, time))
        .where(isChosen)
        // Check the row again, because another process may have been faster.
        .where('state', '=', 'waiting')
        .returningAll()
        .execute()
      return found.map((row) => readWork(keys, row))
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
            update.where(({ not }) => not(isAlive(time, leaseMs))),
          )
          .returningAll()
          .executeTakeFirst()
      })
      return row && readWork(keys, row)
    },
  }
}

function createLeases(
  { rows, relaxed, kind }: Database,
  time: DatabaseTime,
  processes: Pick<Processes, 'heartbeat' | 'leave'>,
) {
  return {
    /** All claimed work of all processes. */
    async listLeases(leaseMs = 0): Promise<Lease[]> {
      const alive = sql<number>`case when ${isAlive(time, leaseMs)} then 1 else 0 end`.as('alive')
      const found = await rows
        .selectFrom('work')
        .select([
          'id',
          'workspace_id as workspaceId',
          'kind',
          sql<string>`coalesce(owner, '')`.as('owner'),
          alive,
        ])
        .where('state', '=', 'running')
        .execute()
      return found.map(({ alive, ...lease }) => ({ ...lease, isOwnerAlive: alive === 1 }))
    },

    /**
     * Sends a heartbeat by updating one row, however much work the owner has. Returns a map from the ID of
     * each piece to whether someone asked to stop it. If a piece is missing from the map, the owner has lost its lease.
     */
    async renew(owner: string): Promise<ReadonlyMap<string, boolean>> {
      // Update before reading: a takeover locks the process row, so this waits for it and then sees it.
      await processes.heartbeat(owner)
      const own = selectRows(rows, 'work', { state: 'running', owner }).clearSelect()
      const leased = await own.select(['id', 'wants_stop']).execute()
      return new Map(leased.map(({ id, wants_stop }) => [id, wants_stop === 1]))
    },

    /** The owner is shutting down and stops sending heartbeats. */
    leave: processes.leave,

    /**
     * After the database's clock was set back, the last write of some work is in the future. Makes that work due now. Otherwise, it
     * would wait until the clock catches up. Work that shouldn't run yet reschedules itself when it begins. Takes the write lock even if there
     * is none: throws if the database doesn't accept writes within its timeout.
     */
    async makeDueAfterClockChange(): Promise<void> {
      const futureRows = rows
        .selectFrom('work')
        .select('id')
        .where('state', '=', 'waiting')
        .where('touched_at', '>', time(MAX_SLEW_MS))
        .limit(MAX_ROWS)
      await rows
        .updateTable('work')
        .set({ due_at: time(), touched_at: time() })
        .where('id', 'in', kind === 'postgres' ? futureRows.forUpdate().skipLocked() : futureRows)
        .execute()
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
      const due_at = sql<string>`case when ${runsAgain} then ${currentDueTime(time)} else ${dueAt} end`
      const values = { ...afterwards, due_at, wanted_again: 0, owner: null, touched_at: time() }
      const write = (db: Kysely<Schema>) => updateRows(db, 'work', { id, owner, state: 'running' }, values)
      // Work that repeats runs sooner again if a power failure loses this.
      await (end.state === 'waiting' && end.isSuccess ? relaxed(write) : write(rows))
    },
  }
}

function createControls(
  { transaction: rows, workspaceId }: DecisionTransaction,
  time: DatabaseTime,
  keys: Sealer,
) {
  return {
    /**
     * Starts prepared or stopped work for this person, and returns `over` for any other work. Of several concurrent calls, one gets
     * `started`.
     */
    async start(id: string, { personId, body }: Pick<NewWork, 'personId' | 'body'>): Promise<StartResult> {
      const { numUpdatedRows } = await rows
        .updateTable('work')
        .set({
          state: 'waiting',
          wants_stop: 0,
          attempts: 0,
          due_at: time(),
          touched_at: time(),
          reference: currentReference() ?? null,
          person_id: personId ?? null,
          sealed_body: sealWorkBody(keys, workspaceId, id, body),
        })
        .where((work) => work.and({ id, workspace_id: workspaceId }))
        .where('state', 'in', ['prepared', 'stopped'])
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n ? 'started' : 'over'
    },

    /** Work that never began becomes `stopped` immediately. What has begun is asked to stop: what it did has still to be told. */
    async stop(id: string): Promise<StopResult> {
      const whenPaused = sql`case when state = 'waiting' and attempts > 0 then`
      const whenBegun = sql`case when state = 'running' or (state = 'waiting' and attempts > 0) then`
      // In one statement, because the work may be claimed or released meanwhile.
      const stopped = await rows
        .updateTable('work')
        .set({
          state: sql`${whenBegun} state else 'stopped' end`,
          wants_stop: sql`${whenBegun} 1 else wants_stop end`,
          due_at: sql`${whenPaused} ${time()} else due_at end`,
          touched_at: sql`${whenBegun} touched_at else ${time()} end`,
        })
        .where((work) => work.and({ id, workspace_id: workspaceId }))
        .where('state', 'in', ['prepared', 'waiting', 'running'])
        .returning('state')
        .executeTakeFirst()
      if (!stopped) return 'over'
      return stopped.state === 'stopped' ? 'stopped' : 'asked'
    },
  }
}

/** Changes work as it runs, and once it's over. */
function createUpkeep(database: Database, time: DatabaseTime, keys: Sealer) {
  const { rows, relaxed } = database
  return {
    /** Replaces the stored body, unless this owner has lost the work. */
    async replaceBody(
      { workspaceId, id }: Pick<Work, 'workspaceId' | 'id'>,
      owner: string,
      body: unknown,
    ): Promise<void> {
      const sealed_body = sealWorkBody(keys, workspaceId, id, body)
      await updateRows(rows, 'work', { id, state: 'running', owner }, { sealed_body })
    },

    /** Ends work that waits. False if it doesn't wait, such as because a process has it. */
    finish: async (id: string): Promise<boolean> =>
      (await updateRows(rows, 'work', { id, state: 'waiting' }, { state: 'done', touched_at: time() })) > 0,

    /** Stores which message shows the work's progress. */
    async setMessage(id: string, { channelId, ts }: { channelId: string; ts: string }): Promise<void> {
      await updateRows(rows, 'work', { id }, { message_channel: channelId, message_ts: ts })
    },

    /**
     * Deletes work of this kind, or of every kind except `exceptKind`, that has been over, or only prepared, for this long. Returns how
     * many pieces it deleted.
     */
    sweep: (
      {
        kind,
        exceptKind,
        states = ['prepared', 'stopped', 'done'],
      }: { kind?: string; exceptKind?: string; states?: readonly ('prepared' | 'stopped' | 'done')[] },
      olderThanMs: number,
    ): Promise<number> =>
      deleteWork(database, relaxed, (work) =>
        work.and([
          work('state', 'in', states),
          work('touched_at', '<', time(-olderThanMs)),
          ...(kind === undefined ? [] : [work('kind', '=', kind)]),
          ...(exceptKind === undefined ? [] : [work('kind', '<>', exceptKind)]),
        ]),
      ),
  }
}
