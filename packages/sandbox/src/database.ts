import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

const SCHEMA_VERSION = 3

const SCHEMA = `
  CREATE TABLE health_check (
    environment TEXT NOT NULL, uuid TEXT NOT NULL,
    name TEXT NOT NULL, name_key TEXT NOT NULL, status TEXT NOT NULL, customer_id INTEGER NOT NULL,
    protocol TEXT NOT NULL, target TEXT NOT NULL, target_key TEXT NOT NULL,
    port INTEGER NOT NULL, frequency INTEGER NOT NULL, http_server_address TEXT, verify_ssl INTEGER,
    created_at TEXT NOT NULL, created_by TEXT NOT NULL, modified_at TEXT NOT NULL, modified_by TEXT NOT NULL,
    PRIMARY KEY (environment, uuid)
  );
  CREATE INDEX health_check_by_name ON health_check (environment, name_key, uuid);
  CREATE UNIQUE INDEX health_check_name ON health_check (environment, customer_id, name_key);
  CREATE INDEX health_check_by_status ON health_check (environment, status, name_key, uuid);
  CREATE INDEX health_check_by_protocol ON health_check (environment, protocol, name_key, uuid);
  CREATE INDEX health_check_by_target ON health_check (environment, target_key, name_key, uuid);
  CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT, environment TEXT NOT NULL, health_check TEXT NOT NULL,
    type TEXT NOT NULL, recipients TEXT NOT NULL,
    created_at TEXT NOT NULL, created_by TEXT NOT NULL, modified_at TEXT NOT NULL, modified_by TEXT NOT NULL,
    FOREIGN KEY (environment, health_check) REFERENCES health_check (environment, uuid) ON DELETE CASCADE
  );
  CREATE INDEX alert_by_check ON alert (environment, health_check, id);
  CREATE TABLE token (environment TEXT NOT NULL, token TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (environment, token));
  CREATE TABLE placed_order (
    id INTEGER PRIMARY KEY AUTOINCREMENT, environment TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL
  );
  CREATE TABLE threat_event (
    environment TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, seeded INTEGER NOT NULL, PRIMARY KEY (environment, id)
  );
  CREATE TABLE environment (name TEXT PRIMARY KEY, created_at TEXT NOT NULL, seeded INTEGER NOT NULL);
  PRAGMA user_version = ${SCHEMA_VERSION};
`

export type Parameters = readonly SQLInputValue[]

/** SQLite with cached prepared statements. Every call is synchronous, so concurrent requests aren't interleaved. */
export interface Database extends Disposable {
  run(sql: string, parameters?: Parameters): { changes: number; id: number }
  get<Row>(sql: string, parameters?: Parameters): Row | undefined
  all<Row>(sql: string, parameters?: Parameters): Row[]
  transaction<T>(work: () => T): T
}

/**
 * Opens the file (and creates its folder if needed), or a database in memory if no file is given. Every commit is synced to disk, so
 * no response is sent before its changes are stored. Throws if the file isn't a sandbox database.
 */
export function openDatabase(file?: string): Database {
  try {
    if (file !== undefined) mkdirSync(dirname(file), { recursive: true })
    return wrapDatabase(open(file ?? ':memory:'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file ?? 'Memory'} can’t be used as sandbox data: ${reason}. Use another file.`, {
      cause: error,
    })
  }
}

function open(path: string): DatabaseSync {
  const sqlite = new DatabaseSync(path)
  try {
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000')
    ensureSchema(sqlite)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

function ensureSchema(sqlite: DatabaseSync): void {
  const version = Number(sqlite.prepare('PRAGMA user_version').get()?.user_version)
  const tables = Number(sqlite.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n)
  if (version === SCHEMA_VERSION) return
  if (tables > 0)
    throw new Error(`it contains other data (version ${version}, ${SCHEMA_VERSION} was expected)`)
  sqlite.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`)
}

function wrapDatabase(sqlite: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>()
  const prepareCached = (sql: string): StatementSync => {
    const cached = statements.get(sql)
    if (cached) return cached
    const prepared = sqlite.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }
  return {
    run(sql, parameters = []) {
      const { changes, lastInsertRowid } = prepareCached(sql).run(...parameters)
      return { changes: Number(changes), id: Number(lastInsertRowid) }
    },
    // The casts rely on the callers: each row type has to match the columns that its SQL selects.
    get: <Row>(sql: string, parameters: Parameters = []) =>
      prepareCached(sql).get(...parameters) as Row | undefined,
    all: <Row>(sql: string, parameters: Parameters = []) => prepareCached(sql).all(...parameters) as Row[],
    transaction(work) {
      sqlite.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        sqlite.exec('COMMIT')
        return result
      } catch (error) {
        sqlite.exec('ROLLBACK')
        throw error
      }
    },
    [Symbol.dispose]() {
      sqlite.close()
    },
  }
}
