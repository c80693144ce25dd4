import { newId } from '@signalman/runtime'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { CommitUnknown, isServerRejection } from '../database/errors.ts'
import type { Processes } from '../database/processes.ts'
import { type Schema, selectRows, updateRows, type WorkRow, type WorkState } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import { deleteWork } from './delete-work.ts'
import { createWorkLeases } from './leases.ts'
import { schedule, type WorkKey } from './schedule.ts'
import {
  causeColumns,
  createWorkQueries,
  createWorkReader,
  type NewWork,
  newWorkRow,
  passesTest,
  sealWorkBody,
  WORK_KEY,
  type Work,
  workLockName,
} from './work-row.ts'

/** `over`: the work no longer exists, or is in a state in which it can't be started or stopped. */
export type StartResult = 'started' | 'over'
export type StopResult = 'asked' | 'stopped' | 'over'
export type WorkStore = ReturnType<typeof createWorkStore>

/** Stores work in `work`. */
export function createWorkStore(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  processes: Pick<Processes, 'heartbeat' | 'leave'>,
) {
  const { rows, relaxed } = database
  return {
    ...createWorkLeases(database, time, keys, processes),
    ...createWorkQueries(rows, createWorkReader(keys)),
    ...createWorkAdditions(database, time, keys),
    ...createKeyedWork(database, time, keys),
    ...createWorkControls(database, time, keys),

    /** Replaces the stored body, unless this owner has lost the work. */
    async replaceBody(
      { workspaceId, id }: Pick<Work, 'workspaceId' | 'id'>,
      owner: string,
      body: unknown,
    ): Promise<void> {
      const sealed_body = sealWorkBody(keys, workspaceId, id, body)
      await updateRows(rows, 'work', { id, state: 'running', owner }, { sealed_body })
    },

    /** Stores which message shows the work's progress. */
    async setMessage(id: string, { channelId, ts }: { channelId: string; ts: string }): Promise<void> {
      await updateRows(rows, 'work', { id }, { message_channel: channelId, message_ts: ts })
    },

    /**
     * Deletes work of this kind, or of every kind except `exceptKind`, that has been over (or only prepared) for this long.
     * Returns how many pieces it deleted.
     */
    sweep: (
      { kind, exceptKind }: { kind?: string; exceptKind?: string },
      olderThanMs: number,
    ): Promise<number> =>
      deleteWork(database, relaxed, (work) =>
        work.and([
          work('state', 'in', ['prepared', 'stopped', 'done']),
          work('touched_at', '<', time(-olderThanMs)),
          ...(kind === undefined ? [] : [work('kind', '=', kind)]),
          ...(exceptKind === undefined ? [] : [work('kind', '<>', exceptKind)]),
        ]),
      ),
  }
}

/** Adds and schedules work. */
function createWorkAdditions({ rows, withLock }: Database, time: DatabaseTime, keys: Sealer) {
  const reader = createWorkReader(keys)

  async function insert(db: Kysely<Schema>, work: NewWork, state: WorkState): Promise<string> {
    const row = newWorkRow(time, work, state, keys)
    await db.insertInto('work').values(row).execute()
    return row.id
  }

  return {
    /** Adds work, on disk when this returns. Prepared work waits for `start`. */
    add: (work: NewWork, state: 'prepared' | 'waiting'): Promise<string> => insert(rows, work, state),

    /**
     * Adds work, unless the workspace has waiting or running work of the same kind that `isDuplicate` accepts. In that case, returns
     * that work. Of several concurrent calls, only one adds work.
     */
    addUnlessDuplicate(work: NewWork, isDuplicate: (other: Work) => boolean): Promise<Work | undefined> {
      return withLock(workLockName(work.workspaceId), async (transaction) => {
        const { workspaceId: workspace_id, kind } = work
        const own = selectRows(transaction, 'work', { workspace_id, kind })
        const pending = await own.where('state', 'in', ['waiting', 'running']).execute()
        const other = reader.readRows(pending).find((candidate) => passesTest(candidate, isDuplicate))
        if (!other) await insert(transaction, work, 'waiting')
        return other
      })
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

/** Adds work that has at most one row per kind and key. */
function createKeyedWork({ kind: databaseKind, rows }: Database, time: DatabaseTime, keys: Sealer) {
  const reader = createWorkReader(keys)

  /** Returns no row if the kind and key already exist. Returns the failure if the row may have been committed anyway. */
  async function insert(
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
    /** Adds prepared work and returns its ID. If work with this kind and key exists, returns that work's ID. */
    async addOnce(work: NewWork & { key: string }): Promise<string> {
      // The update changes nothing. It only makes the statement return the existing row's ID.
      const { id } = await rows
        .insertInto('work')
        .values(newWorkRow(time, work, 'prepared', keys))
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
        const { row, failure } = await insert(work, id, owner, atCommit)
        if (row) return { work: reader.readRow(row), isNew: true }
        const { workspaceId: workspace_id, kind, key } = work
        const existing = await selectRows(rows, 'work', { workspace_id, kind, key }).executeTakeFirst()
        const isOwn = existing?.id === id && existing.owner === owner && existing.attempts === 1
        // The conflicting row may be gone by now, because its work ended or its workspace was forgotten.
        if (existing) return { work: reader.readRow(existing), isNew: isOwn }
        if (failure !== undefined) throw failure
      }
    },
  }
}

/** Starts and stops existing work. */
function createWorkControls({ rows, withLock }: Database, time: DatabaseTime, keys: Sealer) {
  return {
    /**
     * Starts prepared or stopped work, and returns `over` for any other work. Of several concurrent calls, one gets `started`. A
     * `newOwner` takes over the work with a progress message of their own.
     */
    start(
      workspaceId: string,
      id: string,
      newOwner?: { personId: string; body: unknown },
    ): Promise<StartResult> {
      return withLock(workLockName(workspaceId), async (transaction) => {
        const own = selectRows(transaction, 'work', { workspace_id: workspaceId })
        const work = await own.where('id', '=', id).executeTakeFirst()
        if (!work || (work.state !== 'prepared' && work.state !== 'stopped')) return 'over'
        await transaction
          .updateTable('work')
          .set({
            state: 'waiting',
            wants_stop: 0,
            attempts: 0,
            due_at: time(),
            touched_at: time(),
            ...causeColumns(),
            ...(newOwner && {
              person_id: newOwner.personId,
              sealed_body: sealWorkBody(keys, workspaceId, id, newOwner.body),
              message_channel: null,
              message_ts: null,
            }),
          })
          .where('id', '=', id)
          .execute()
        return 'started'
      })
    },

    /** Asks the process that runs the work to stop. Unclaimed work becomes `stopped` immediately. */
    async stop(workspaceId: string, id: string): Promise<StopResult> {
      const whenRunning = sql`case when state = 'running' then`
      // In one statement, because the work may be claimed or released meanwhile.
      const stopped = await rows
        .updateTable('work')
        .set({
          state: sql`${whenRunning} state else 'stopped' end`,
          wants_stop: sql`${whenRunning} 1 else wants_stop end`,
          touched_at: sql`${whenRunning} touched_at else ${time()} end`,
        })
        .where((work) => work.and({ id, workspace_id: workspaceId }))
        .where('state', 'in', ['prepared', 'waiting', 'running'])
        .returning('state')
        .executeTakeFirst()
      if (!stopped) return 'over'
      return stopped.state === 'running' ? 'asked' : 'stopped'
    },
  }
}
