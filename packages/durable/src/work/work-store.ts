import { newId } from '@signalman/runtime'
import type { Kysely, Selectable } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { CommitUnknown, isServersNo } from '../database/errors.ts'
import type { Processes } from '../database/processes.ts'
import { rowsIn, type Schema, updateIn, type WorkRow, type WorkState } from '../database/schema.ts'
import type { InTransaction } from '../secrets/save-sealed.ts'
import type { TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { deleteWork } from './delete-work.ts'
import { type Leases, workLeases } from './leases.ts'
import { type Scheduled, schedule } from './schedule.ts'
import { startAndStop } from './start-and-stop.ts'
import {
  causeColumns,
  holdsOf,
  type NewWork,
  savingOf,
  sealedBody,
  transactions,
  turnOf,
  type Work,
  workReader,
  workReadings,
} from './work-row.ts'

export type Started = 'started' | 'over' | 'busy'
export type Stopped = 'asked' | 'stopped' | 'over'

export interface WorkStore extends Leases {
  /** Adds work, on disk before this returns. Prepared work waits for `start`. */
  add(work: NewWork, state: 'prepared' | 'waiting'): Promise<string>
  /**
   * Adds work, unless work of its kind that is `like` it waits or runs in its workspace: then that work is returned. Of
   * several at once, one is added.
   */
  addUnless(work: NewWork, like: (other: Work) => boolean): Promise<Work | undefined>
  /**
   * Adds work (under this new id, where one is given) and gives it to the owner. When there is a row of its kind
   * and key, that row is returned instead, in whatever state, unless an earlier try of this very call has added it. On disk before
   * this returns. `atCommit` is called right before it is committed, and keeps it from being so when it throws. Throws
   * CommitUnknown when nobody can tell whether it was committed; anything else says that it was not.
   */
  begin(
    work: NewWork & { id?: string; key: string },
    owner: string,
    atCommit?: () => void,
  ): Promise<{ work: Work; isNew: boolean }>
  /** Adds prepared work and returns its id; when there is work of its kind and key, that work's id. */
  addOnce(work: NewWork & { key: string }): Promise<string>
  /** Undefined for another workspace's. */
  find(workspaceId: string, id: string): Promise<Work | undefined>
  /** The work of these kinds that waits or runs in the workspace, oldest first; at most 50. */
  open(workspaceId: string, kinds: readonly string[]): Promise<Work[]>
  /**
   * Starts prepared or stopped work: `over` when it is neither, `busy` while other work of its kind that is not over waits or runs
   * in this workspace. Of several at once, one is `started`. A `newOwner` has it from now on, with a progress message of their own.
   */
  start(
    workspaceId: string,
    id: string,
    newOwner?: { personId: string; body: unknown },
    isOver?: (other: Work) => boolean,
  ): Promise<Started>
  /** Asks the process that has it to stop; work that no process has is `stopped` at once. */
  stop(workspaceId: string, id: string): Promise<Stopped>
  /** Puts another body in the place of the one that work was added with, unless this owner has lost it. */
  rewrite(work: Pick<Work, 'workspaceId' | 'id'>, owner: string, body: unknown): Promise<void>
  /** Stores which message shows its progress. */
  showAt(id: string, message: { channelId: string; ts: string }): Promise<void>
  /** Makes work due then (now unless given), in place of when it was due before. Running work runs once more. */
  schedule(what: Scheduled, dueAt?: Date): Promise<void>
  /** Makes work due after this time, unless it waits or runs already; what was given up waits again. */
  ensure(what: Scheduled, dueInMs: number): Promise<void>
  /** Deletes work that has been over (or only prepared) for this long, and returns how many. */
  sweep(kinds: { only?: string; not?: string }, olderThanMs: number): Promise<number>
}

/** The rows of `work`. */
export function workStore(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  processes: Pick<Processes, 'signOfLife' | 'leave'>,
): WorkStore {
  const { rows, relaxed } = database
  return {
    ...workLeases(database, time, keys, processes),
    ...workReadings(rows, workReader(keys)),
    ...additions(database, time, keys),
    ...keyedWork(database, time, keys),
    ...startAndStop(database, time, keys),

    async rewrite({ workspaceId, id }, owner, body) {
      await savingOf(keys)(transactions(rows), { workspaceId, body }, (transaction, sealer) =>
        updateIn(
          transaction,
          'work',
          { id, state: 'running', owner },
          { sealed_body: sealer ? sealedBody(sealer, workspaceId, id, body) : null },
        ),
      )
    },

    async showAt(id, { channelId, ts }) {
      await updateIn(rows, 'work', { id }, { message_channel: channelId, message_ts: ts })
    },

    sweep: ({ only, not }, olderThanMs) =>
      deleteWork(database, relaxed, (work) =>
        work.and([
          work('state', 'in', ['prepared', 'stopped', 'done']),
          work('touched_at', '<', time(-olderThanMs)),
          ...(only === undefined ? [] : [work('kind', '=', only)]),
          ...(not === undefined ? [] : [work('kind', '<>', not)]),
        ]),
      ),
  }
}

/** How work is added. */
function additions(
  { rows, inTurn }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): Pick<WorkStore, 'add' | 'addUnless' | 'schedule' | 'ensure'> {
  const rowOf = newRows(time)
  const reader = workReader(keys)
  const saving = savingOf(keys)

  async function insert(
    db: Kysely<Schema>,
    work: NewWork,
    state: WorkState,
    sealer: TextSealer | undefined,
  ): Promise<string> {
    const id = newId()
    await db
      .insertInto('work')
      .values(rowOf(work, id, state, sealer))
      .execute()
    return id
  }

  return {
    add: (work, state) =>
      saving(transactions(rows), work, (transaction, sealer) => insert(transaction, work, state, sealer)),

    addUnless(work, like) {
      const inItsTurn: InTransaction = (done) => inTurn(turnOf(work.workspaceId), done)
      return saving(inItsTurn, work, async (transaction, sealer) => {
        const { workspaceId: workspace_id, kind } = work
        const own = rowsIn(transaction, 'work', { workspace_id, kind })
        const pending = await own.where('state', 'in', ['waiting', 'running']).execute()
        const other = (await reader.all(transaction, pending)).find((one) => holdsOf(one, like))
        if (!other) await insert(transaction, work, 'waiting', sealer)
        return other
      })
    },

    schedule: (what, dueAt) => schedule(rows, time, what, dueAt),

    async ensure({ workspaceId, kind, key }, dueInMs) {
      await rows
        .insertInto('work')
        .values({
          ...rowOf({ workspaceId, kind, key }, newId(), 'waiting', undefined),
          due_at: time(dueInMs),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'kind', 'key'])
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

/** Work of which there is at most one of a kind and key. */
function keyedWork(
  { kind: databaseKind, rows }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): Pick<WorkStore, 'addOnce' | 'begin'> {
  const rowOf = newRows(time)
  const reader = workReader(keys)
  const saving = savingOf(keys)

  /** No row where one of this kind and key is in the way; a failure where the row may have been committed all the same. */
  async function insert(
    work: NewWork,
    id: string,
    owner: string,
    atCommit: (() => void) | undefined,
  ): Promise<{ row?: Selectable<WorkRow> | undefined; failure?: unknown }> {
    let isCommitting = false
    const inserting = saving(transactions(rows), work, async (transaction, sealer) => {
      const row = await transaction
        .insertInto('work')
        .values({ ...rowOf(work, id, 'running', sealer), owner, attempts: 1 })
        .onConflict((conflict) => conflict.columns(['workspace_id', 'kind', 'key']).doNothing())
        .returningAll()
        .executeTakeFirst()
      atCommit?.()
      isCommitting = true
      return row
    })
    try {
      return { row: await inserting }
    } catch (failure) {
      if (!isCommitting || isServersNo(failure)) throw failure
      if (databaseKind === 'postgres') throw new CommitUnknown(failure)
      // Where the database is a file on this machine, a look tells: no commit is under way any more.
      return { failure }
    }
  }

  return {
    async addOnce(work) {
      const keys = ['workspace_id', 'kind', 'key'] as const
      // The update changes nothing, and gives the id of the row that is there.
      const { id } = await saving(transactions(rows), work, (transaction, sealer) =>
        transaction
          .insertInto('work')
          .values(rowOf(work, newId(), 'prepared', sealer))
          .onConflict((conflict) => conflict.columns([...keys]).doUpdateSet({ kind: work.kind }))
          .returning('id')
          .executeTakeFirstOrThrow(),
      )
      return id
    },

    async begin({ id = newId(), ...work }, owner, atCommit) {
      for (;;) {
        const { row, failure } = await insert(work, id, owner, atCommit)
        if (row) return { work: await reader.one(rows, row), isNew: true }
        const { workspaceId: workspace_id, kind, key } = work
        const known = await rowsIn(rows, 'work', { workspace_id, kind, key }).executeTakeFirst()
        const isOwn = known?.id === id && known.owner === owner && known.attempts === 1
        // What was in the way may be gone by now: it has ended, or its workspace was forgotten.
        if (known) return { work: await reader.one(rows, known), isNew: isOwn }
        if (failure !== undefined) throw failure
      }
    },
  }
}

function newRows(time: DatabaseTime) {
  return (
    { workspaceId, kind, key, personId, body }: NewWork,
    id: string,
    state: WorkState,
    sealer: TextSealer | undefined,
  ) => ({
    id,
    workspace_id: workspaceId,
    kind,
    key: key ?? null,
    person_id: personId ?? null,
    state,
    sealed_body: sealer ? sealedBody(sealer, workspaceId, id, body) : null,
    due_at: time(),
    made_at: time(),
    touched_at: time(),
    ...causeColumns(),
  })
}
