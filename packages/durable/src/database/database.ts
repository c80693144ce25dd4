import type { Kysely, Transaction } from 'kysely'
import type { Model } from './declared-table.ts'
import { StoreError } from './errors.ts'
import type { Schema } from './schema.ts'
import { openSqlite } from './sqlite.ts'

/** One open database of either kind. */
export interface Database extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** What the program stores in it. */
  readonly model: Model
  /** The SQLite file's absolute path; undefined for a memory database and for PostgreSQL. */
  readonly file: string | undefined
  /** Every write through it is on disk before its promise is fulfilled. */
  readonly rows: Kysely<Schema>
  /**
   * For long reads outside of transactions: nothing else in this process waits for them (SQLite has a thread for them). They see every
   * commit from before they began.
   */
  readonly reading: Kysely<Schema>
  /**
   * Runs one read-only transaction that sees the database as of one moment, on its own connection, so that nothing waits for it.
   */
  snapshot<T>(work: (transaction: Kysely<Schema>) => Promise<T>): Promise<T>
  /** For how long it has owed an answer and given none; 0 while it owes none. */
  silentMs(): number
  /** For rows that a power cut may take back (a killed process loses nothing): on SQLite, no wait for the disk. */
  relaxed<T>(work: (rows: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Gives the space of deleted rows back to the disk, a little at a time; does nothing on PostgreSQL, which does so itself. */
  shrink(signal?: AbortSignal): Promise<void>
  /** Runs a transaction after any other of the same name, in this or another process. */
  inTurn<T>(name: string, work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T>
  /** Within a transaction, waits for others of that name and makes later ones wait. */
  takeTurn(transaction: Transaction<Schema>, name: string): Promise<void>
  /** Runs a transaction alone: every other caller of this, in any process, waits. */
  exclusively<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T>
}

const FORMS = 'use sqlite:./data/signalman.db, or postgres://user:password@host:5432/database'

/** Opens what the address names: `sqlite:<path>`, `sqlite::memory:`, `postgres://…`. Throws StoreError. */
export async function openDatabase(url: string, model: Model): Promise<Database> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.trim())?.[1]?.toLowerCase()
  if (scheme === 'sqlite') {
    const path = sqlitePath(url.trim().slice('sqlite:'.length))
    return { ...(await openSqlite(path)), model }
  }
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // With SQLite its driver is never loaded.
    const { openPostgres } = await import('./postgres.ts')
    return { ...openPostgres(url.trim()), model }
  }
  const fault = scheme === undefined ? 'has no scheme' : `has the scheme "${scheme}:"`
  throw new StoreError('bad-url', `The database address ${fault}: ${FORMS}.`)
}

function sqlitePath(path: string): string {
  if (path === '') throw new StoreError('bad-url', `The database address names no file: ${FORMS}.`)
  if (/^\/\/[^/]/.test(path)) {
    throw new StoreError(
      'bad-url',
      'The database address has two slashes after "sqlite:", which names a host: write sqlite:./folder/file.db or sqlite:/folder/file.db.',
    )
  }
  if (/[?#\0]/.test(path)) {
    throw new StoreError('bad-url', `A SQLite address is a file name alone, without "?" or "#": ${FORMS}.`)
  }
  return path
}
