import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'

/** Kysely's SQLite over `node:sqlite`: prepared statements are kept, and a transaction takes the write lock at once. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(raw: DatabaseSync) {
    const config: SqliteDialectConfig = { database: keepingStatements(raw) }
    super(config)
    this.#config = config
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#config)
  }
}

class ImmediateDriver extends SqliteDriver {
  /** A deferred transaction that reads and then writes fails at once when another process wrote in between. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Enough for every fixed statement of the program; built ones (lists of ids, filters) come and go. */
const KEPT_STATEMENTS = 200

function keepingStatements(raw: DatabaseSync) {
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => raw.close(),
    prepare(sql: string): SqliteStatement {
      const known = kept.get(sql)
      if (known !== undefined) return known
      const statement = adapted(raw, sql)
      const oldest = kept.keys().next()
      if (kept.size >= KEPT_STATEMENTS && !oldest.done) kept.delete(oldest.value)
      kept.set(sql, statement)
      return statement
    },
  }
}

function adapted(raw: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = raw.prepare(sql)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...bound(parameters)),
    run: (parameters) => statement.run(...bound(parameters)),
    // A statement of its own: the kept one may be run again while this one is still being read.
    iterate: (parameters) => raw.prepare(sql).iterate(...bound(parameters)),
  }
}

function bound(parameters: readonly unknown[]): SQLInputValue[] {
  // node:sqlite itself throws a TypeError on any value that it cannot bind.
  return parameters as SQLInputValue[]
}
