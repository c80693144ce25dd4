import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** The time of the database's clock as an SQL expression (ISO text), optionally offset by some milliseconds. */
export type DatabaseTime = (offsetMs?: number) => RawBuilder<string>

/**
 * The clock for leases and due times. Processes' clocks may differ, but the database has only one (with SQLite, it's the host's).
 * `clock` replaces it in tests that set the time.
 */
export function createDatabaseTime(kind: 'sqlite' | 'postgres', clock?: () => Date): DatabaseTime {
  if (clock) return (offsetMs = 0) => sql<string>`${new Date(clock().getTime() + offsetMs).toISOString()}`
  if (kind === 'sqlite')
    return (offsetMs = 0) => {
      const seconds = `${offsetMs < 0 ? '' : '+'}${(offsetMs / 1000).toFixed(3)} seconds`
      return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds})`
    }
  // A subselect is evaluated once per statement. Otherwise, it would be evaluated per row, and no index would be used.
  return (offsetMs = 0) =>
    sql<string>`(select to_char(clock_timestamp() at time zone 'utc' + ${offsetMs}::double precision * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
}

/** The time of the database's clock. */
export async function readTime(rows: Kysely<Schema>, time: DatabaseTime): Promise<Date> {
  const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
  return new Date(now)
}
