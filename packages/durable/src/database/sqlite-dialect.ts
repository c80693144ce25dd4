import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { yieldWhenDue } from '@signalman/runtime'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type LimitNode,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  ValueNode,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Schema } from './schema.ts'

/**
 * Kysely's SQLite dialect on `node:sqlite`. Prepared statements are cached, and a transaction takes the write lock immediately.
 */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #raw: DatabaseSync
  readonly #config: SqliteDialectConfig
  readonly #options: ConnectionOptions

  constructor(raw: DatabaseSync, options: ConnectionOptions = {}) {
    const config: SqliteDialectConfig = { database: cacheStatements(raw) }
    super(config)
    this.#raw = raw
    this.#config = config
    this.#options = options
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#raw, this.#config, this.#options)
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new LiteralLimitCompiler()
  }
}

/** Writes a limit into the statement. If it's a parameter, SQLite plans the statement anew each time it's bound. */
class LiteralLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && typeof limit.value === 'number')
      this.append(`limit ${Math.trunc(limit.value)}`)
    else super.visitLimit(node)
  }
}

interface ConnectionOptions {
  /** How long a statement waits for another process's lock before it fails with SQLITE_BUSY. 5 s by default. */
  readonly busyTimeoutMs?: number
  /** Called before each statement that may write. If it throws, the statement doesn't run. */
  readonly beforeWrite?: (() => void) | undefined
}

class ImmediateDriver extends SqliteDriver {
  readonly #raw: DatabaseSync
  readonly #options: ConnectionOptions
  #connection: DatabaseConnection | undefined

  constructor(raw: DatabaseSync, config: SqliteDialectConfig, options: ConnectionOptions) {
    super(config)
    this.#raw = raw
    this.#options = options
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    this.#connection ??= waitForLocks(connection, this.#options)
    return this.#connection
  }

  /** A deferred transaction that reads and then writes fails immediately if another process wrote in between. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /**
   * On a full or failing disk, SQLite has already ended the transaction. The error of another rollback would hide that one. Not a write, so
   * it's also done when the file was moved: later writes would be in this transaction, and be lost.
   */
  override async rollbackTransaction(): Promise<void> {
    if (this.#raw.isTransaction) this.#raw.exec('rollback')
  }
}

/**
 * Waits for another connection's lock without blocking. SQLite's own busy timeout would block the entire process, so another
 * connection in this process could never release its lock. Also yields between statements, which would otherwise all run in one
 * turn of the event loop.
 */
function waitForLocks(
  connection: DatabaseConnection,
  { busyTimeoutMs = 5000, beforeWrite }: ConnectionOptions,
): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      await yieldWhenDue()
      let waitedMs = 0
      for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        try {
          if (query.query.kind !== 'SelectQueryNode') beforeWrite?.()
          return await connection.executeQuery<Row>(query)
        } catch (error) {
          if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error
        }
        await setTimeout(pauseMs)
        waitedMs += pauseMs
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

const MAX_PAUSE_MS = 20

/** Whether another connection holds the lock. */
export const isBusy = (error: unknown): boolean => sqliteErrorCode(error) === 5

/** The primary result code of a node:sqlite error (https://sqlite.org/rescode.html), or undefined. */
export function sqliteErrorCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}

/** Opens a file for one task, then closes it. */
export async function withFile<T>(
  file: string,
  pragmas: string,
  work: (rows: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  using raw = new DatabaseSync(file, { timeout: 0 })
  raw.exec(pragmas)
  return await work(new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw) }))
}

/** Enough for all fixed statements of the app. Built ones (lists of IDs, filters) evict each other. */
const CACHED_STATEMENTS = 200

function cacheStatements(raw: DatabaseSync) {
  const statements = new LRUCache({
    max: CACHED_STATEMENTS,
    memoMethod: (sql: string) => adaptStatement(raw, sql),
  })
  return { close: () => raw.close(), prepare: (sql: string): SqliteStatement => statements.memo(sql) }
}

function adaptStatement(raw: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = raw.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  // The objects that node:sqlite makes have no prototype, and V8 keeps those as hash tables: they take longer to make, read, and collect.
  statement.setReturnArrays(true)
  const toRow = (values: unknown): Record<string, unknown> => {
    const row: Record<string, unknown> = {}
    names.forEach((name, index) => {
      // An array, as set above.
      row[name] = (values as unknown[])[index]
    })
    return row
  }
  return {
    reader: names.length > 0,
    // Casts, because node:sqlite throws a TypeError for values that it can't bind.
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])).map(toRow),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])).map(toRow),
  }
}
