import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DatabaseProxy, startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A, makeFolder, type TestDatabase } from '../databases/databases.ts'
import { hasPgbouncer, startPgbouncer, TRANSACTION_MODE } from '../databases/pgbouncer.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'

/** A database that a test can make unavailable to the app. The test itself connects to `direct`, which always works. */
export interface BreakableDatabase extends TestDatabase {
  readonly direct: TestDatabase
  /** Makes the database unavailable to the app’s processes. Call the returned function to make it available again. */
  makeUnavailable(pids: readonly number[]): () => void
}

export interface Outage {
  name: string
  start(): Promise<BreakableDatabase>
}

/** An outage that the test causes over its own connection to the SQLite file. */
function sqliteOutage(
  name: string,
  breakDatabase: (database: DatabaseSync, pids: readonly number[]) => void,
  restore: (database: DatabaseSync, pids: readonly number[]) => void,
): Outage {
  return {
    name,
    async start() {
      const folder = makeFolder()
      const path = join(folder.path, 'signalman.db')
      const sqliteFile = {
        url: `sqlite:${path}`,
        keys: KEY_A,
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      }
      return {
        ...sqliteFile,
        direct: sqliteFile,
        makeUnavailable(pids) {
          const database = new DatabaseSync(path, { timeout: 20_000 })
          breakDatabase(database, pids)
          return () => {
            restore(database, pids)
            database.close()
          }
        },
      }
    },
  }
}

function postgresOutage(
  name: string,
  breakConnection: (proxy: DatabaseProxy) => void,
  { hasPooler = false } = {},
): Outage {
  return {
    name,
    async start() {
      await using started = new AsyncDisposableStack()
      const server = started.use(await startPostgresDatabase('migrated'))
      const pooler = hasPooler ? started.use(await startPgbouncer(server.url, TRANSACTION_MODE)) : server
      const proxy = started.use(await startDatabaseProxy(new URL(pooler.url)))
      const resources = started.move()
      const dispose = { [Symbol.asyncDispose]: () => resources.disposeAsync() }
      const directDatabase = { url: server.url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
      return {
        url: proxy.url,
        keys: KEY_A,
        direct: directDatabase,
        makeUnavailable() {
          breakConnection(proxy)
          return () => proxy.restore()
        },
        ...dispose,
      }
    },
  }
}

const TABLES = ['work', 'work_step']

/** An outage in which every statement that needs these tables fails immediately. */
const WITHOUT_TABLES = sqliteOutage(
  'a SQLite file without its work tables',
  (database) => {
    for (const table of TABLES) database.exec(`alter table ${table} rename to ${table}_hidden`)
  },
  (database) => {
    for (const table of TABLES.toReversed()) database.exec(`alter table ${table}_hidden rename to ${table}`)
  },
)

/**
 * A disk that rejects writes, while reads still work: no file of the processes may grow. Each write fails as if the disk was full or
 * mounted read-only.
 */
const UNWRITABLE_DISK = sqliteOutage(
  'a SQLite file on a disk that rejects writes',
  (_, pids) => limitFileSize(pids, '0'),
  (_, pids) => limitFileSize(pids, 'unlimited'),
)

function limitFileSize(pids: readonly number[], size: '0' | 'unlimited'): void {
  for (const pid of pids)
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`], { stdio: 'ignore' })
}

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

const DISCONNECTED_POSTGRES = postgresOutage('a PostgreSQL server that drops all connections', (proxy) =>
  proxy.disconnect(),
)

const LOCKED_SQLITE = sqliteOutage(
  'a SQLite file that another connection locks',
  (database) => database.exec('begin immediate'),
  (database) => database.exec('rollback'),
)

const POOLED_POSTGRES = postgresOutage(
  'PostgreSQL behind PgBouncer that drops all connections',
  (proxy) => proxy.disconnect(),
  { hasPooler: true },
)

/** What processes share while they're killed: a SQLite file, and PostgreSQL with a pooler in front, if there is one. */
export const KILLED_ON: readonly Outage[] = [
  LOCKED_SQLITE,
  hasPgbouncer ? POOLED_POSTGRES : DISCONNECTED_POSTGRES,
]

export const OUTAGES: readonly Outage[] = [
  ...(hasPrlimit ? [UNWRITABLE_DISK] : []),
  LOCKED_SQLITE,
  WITHOUT_TABLES,
  postgresOutage('a PostgreSQL server that stops responding', (proxy) => proxy.freeze()),
  DISCONNECTED_POSTGRES,
  ...(hasPgbouncer ? [POOLED_POSTGRES] : []),
]
