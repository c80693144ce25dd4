import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { ErasureMark } from './refuse-erased.ts'
import { deleteRows, type Schema, selectRows, upsertRow } from './schema.ts'

/** A process without a heartbeat for this long counts as gone. */
const GONE_AFTER_MS = 30_000

/** The last deletion of a workspace's rows that is going on, so that every process refuses what began before it. */
const ERASURE = 'store.erasure'
const POLL_MS = 50

export type Processes = ReturnType<typeof createProcesses>

/** Stores the processes that share this database in `process`. */
export function createProcesses(
  { rows, relaxed, erasureGuard }: Pick<Database, 'rows' | 'relaxed' | 'erasureGuard'>,
  time: DatabaseTime,
) {
  const about = `process ${process.pid} on ${hostname()}`
  const ownIds = new Set<string>()

  /** Refuses what began before the deletions that are going on. Returns their IDs. */
  async function refuseErased(db: Kysely<Schema>): Promise<string> {
    const found = await selectRows(db, 'setting', { key: ERASURE }).execute()
    const marks = found.map(({ workspace_id, value }) => ({
      workspaceId: workspace_id,
      // `refuseOlder` wrote it, so the cast is safe.
      ...(JSON.parse(value) as Omit<ErasureMark, 'workspaceId'>),
    }))
    for (const mark of marks) erasureGuard.refuse(mark)
    return marks.map(({ id }) => id).join(' ')
  }

  return {
    /**
     * Records a heartbeat. Returns the number of running processes. It's an ordinary
     * write, so it throws if the database doesn't accept writes.
     */
    heartbeat: (id: string): Promise<number> =>
      relaxed(async (db) => {
        ownIds.add(id)
        const refuses = await refuseErased(db)
        const now = { seen_at: time(), refuses }
        await upsertRow(db, 'process', ['id'], { id, about, ...now }, now)
        const all = await db.selectFrom('process').select(['id', 'seen_at']).execute()
        const ownSeenAt = all.find((row) => row.id === id)?.seen_at ?? ''
        const gone = all.filter(({ seen_at }) => Date.parse(ownSeenAt) - Date.parse(seen_at) > GONE_AFTER_MS)
        const ids = gone.slice(0, 100).map((row) => row.id)
        if (ids.length > 0) await db.deleteFrom('process').where('id', 'in', ids).execute()
        return all.length - gone.length
      }),

    /**
     * Makes every process refuse rows of this workspace from requests that began before now, and waits until they do. A process without a
     * heartbeat for 30 s counts as gone. Call it before the rows are deleted, and delete the mark with them.
     */
    async refuseOlder(workspaceId: string, { isWhole }: Pick<ErasureMark, 'isWhole'>): Promise<void> {
      const id = newId()
      const value = JSON.stringify({ id, isWhole })
      await upsertRow(rows, 'setting', ['workspace_id', 'key'], {
        workspace_id: workspaceId,
        key: ERASURE,
        value,
      })
      erasureGuard.refuse({ workspaceId, id, isWhole })
      const deadline = performance.now() + GONE_AFTER_MS
      const others = rows.selectFrom('process').select('id').where('seen_at', '>', time(-GONE_AFTER_MS))
      for (;;) {
        const late = await others.where(sql<boolean>`' ' || refuses || ' ' not like ${`% ${id} %`}`).execute()
        if (late.every((other) => ownIds.has(other.id)) || performance.now() > deadline) return
        await setTimeout(POLL_MS)
      }
    },

    /** Ends the mark of `refuseOlder`, in the transaction that ends the deletion. */
    endErasure: (transaction: Kysely<Schema>, workspaceId: string): Promise<number> =>
      deleteRows(transaction, 'setting', { workspace_id: workspaceId, key: ERASURE }),

    /** Removes this process, because it is shutting down. */
    async leave(id: string): Promise<void> {
      await relaxed((db) => deleteRows(db, 'process', { id }))
    },
  }
}

/** Throws StoreError while a process uses this database. `nothing` says what wasn't done. */
export async function refuseWhileRunning(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  nothing: string,
): Promise<void> {
  const running = await listRunning(rows, time)
  if (running.length > 0)
    throw new StoreError(
      'bad-value',
      `${nothing}, because the app is still running: ${running.join(', ')}. Stop it first. A process that was killed counts as running for 30 s.`,
    )
}

/** Describes the running processes. */
export async function listRunning(rows: Kysely<Schema>, time: DatabaseTime): Promise<string[]> {
  const running = rows.selectFrom('process').select('about').where('seen_at', '>', time(-GONE_AFTER_MS))
  return (await running.orderBy('id').execute()).map(({ about }) => about)
}
