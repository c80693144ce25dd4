import type { Kysely, Transaction } from 'kysely'
import type { Model } from './declared-table.ts'
import type { Schema } from './schema.ts'

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
