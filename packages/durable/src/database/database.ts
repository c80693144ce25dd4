// This folder opens SQLite and PostgreSQL, and derives everything about tables from their declarations.

import type { Kysely, Transaction } from 'kysely'
import type { Model } from './declared-table.ts'
import type { ErasureGuard } from './refuse-erased.ts'
import type { Schema } from './schema.ts'

/** An open SQLite or PostgreSQL database. */
export interface Database extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** The tables and migrations. */
  readonly model: Model
  /** Refuses rows of requests that began before their workspace was deleted. */
  readonly erasureGuard: ErasureGuard
  /** The SQLite file's absolute path. Undefined for a memory database and for PostgreSQL. */
  readonly file: string | undefined
  /**
   * For reads, and for writes, which are on disk before their promise resolves. With SQLite, a statement holds the event loop, so what reads
   * many rows asks for them in slices, by key.
   */
  readonly rows: Kysely<Schema>
  /**
   * Runs writes that may be lost in a power failure, but not when the process is killed. On SQLite, they don't wait for the disk.
   */
  relaxed<T>(work: (rows: Kysely<Schema>) => Promise<T>): Promise<T>
  /**
   * Runs a transaction under the workspace's lock, shared with other processes: decisions, and what else reads before it changes what
   * decisions change.
   */
  withLock<T>(workspaceId: string, work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T>
  /** Takes the lock with this name until the end of the transaction. */
  takeLock(transaction: Transaction<Schema>, name: string): Promise<void>
  /** Runs a transaction under an exclusive lock: all other callers, in any process, wait. */
  withExclusiveLock<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T>
}
