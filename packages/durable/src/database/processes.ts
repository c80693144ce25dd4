import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import type { DatabaseTime } from './clock.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import { deleteRows, type Schema, upsertRow } from './schema.ts'

/** A process without a heartbeat for this long counts as gone. */
export const GONE_AFTER_MS = 30_000

export type Processes = ReturnType<typeof createProcesses>

/** Stores the processes that share this database in `process`. */
export function createProcesses({ relaxed }: Pick<Database, 'relaxed'>, time: DatabaseTime) {
  const about = `process ${process.pid} on ${hostname()}`
  return {
    /**
     * Records a heartbeat. Returns the number of running processes. It's an ordinary
     * write, so it throws if the database doesn't accept writes.
     */
    heartbeat: (id: string): Promise<number> =>
      relaxed(async (rows) => {
        const now = { seen_at: time() }
        await upsertRow(rows, 'process', ['id'], { id, about, ...now }, now)
        const all = await rows.selectFrom('process').select(['id', 'seen_at']).execute()
        const ownSeenAt = all.find((row) => row.id === id)?.seen_at ?? ''
        const gone = all.filter(({ seen_at }) => Date.parse(ownSeenAt) - Date.parse(seen_at) > GONE_AFTER_MS)
        const ids = gone.slice(0, 100).map((row) => row.id)
        if (ids.length > 0) await rows.deleteFrom('process').where('id', 'in', ids).execute()
        return all.length - gone.length
      }),
    /** Removes this process, because it is shutting down. */
    async leave(id: string): Promise<void> {
      await relaxed((rows) => deleteRows(rows, 'process', { id }))
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
