import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** A time of the database's own clock, as ISO text: now, or so many milliseconds from now. */
export type DatabaseTime = (offsetMs?: number) => RawBuilder<string>

/**
 * The clock of leases and due times. The clocks of processes may differ; the database has one clock for all of them (on SQLite, that
 * of the host which they share). `clock` replaces it in tests that set the time.
 */
export function databaseTime(kind: 'sqlite' | 'postgres', clock?: () => Date): DatabaseTime {
  if (clock) return (offsetMs = 0) => sql<string>`${new Date(clock().getTime() + offsetMs).toISOString()}`
  if (kind === 'sqlite')
    return (offsetMs = 0) => {
      const seconds = `${offsetMs < 0 ? '' : '+'}${(offsetMs / 1000).toFixed(3)} seconds`
      return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds})`
    }
  // A select of its own is evaluated once for a statement; without it each row would evaluate it, and no index would be used.
  return (offsetMs = 0) =>
    sql<string>`(select to_char(clock_timestamp() at time zone 'utc' + ${offsetMs}::double precision * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
}

/** The time of the database's clock. */
export async function readTime(rows: Kysely<Schema>, time: DatabaseTime): Promise<Date> {
  const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
  return new Date(now)
}
