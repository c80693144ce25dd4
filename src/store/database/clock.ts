import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** A time of the database's own clock, as ISO text: now, or so many milliseconds from now. */
export type DatabaseTime = (offsetMs?: number) => RawBuilder<string>

/**
 * The clock that leases and due times are told by. Processes may disagree about the time; the database has one clock
 * for all of them (on SQLite, that of the host which all of them share). `clock` stands in for it in tests that set the time.
 */
export function databaseTime(kind: 'sqlite' | 'postgres', clock?: () => Date): DatabaseTime {
  if (clock) return (offsetMs = 0) => sql<string>`${new Date(clock().getTime() + offsetMs).toISOString()}`
  if (kind === 'sqlite')
    return (offsetMs = 0) => {
      const seconds = `${offsetMs < 0 ? '' : '+'}${(offsetMs / 1000).toFixed(3)} seconds`
      return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds})`
    }
  // Within a select of its own it is told once for a statement; else it would be for each row, and no index could be used.
  return (offsetMs = 0) =>
    sql<string>`(select to_char(clock_timestamp() at time zone 'utc' + ${offsetMs}::double precision * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
}

/** What that clock says now. */
export async function readTime(rows: Kysely<Schema>, time: DatabaseTime): Promise<Date> {
  const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
  return new Date(now)
}
