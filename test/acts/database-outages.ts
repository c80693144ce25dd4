import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DatabaseProxy, startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A, makeFolder, type TestDatabase } from '../databases/databases.ts'
import { hasPgbouncer, startPgbouncer, TRANSACTION_MODE } from '../databases/pgbouncer.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'

/** A database that a test can make unavailable to the app. The test itself connects to `direct`, which always works. */
export interface BreakableDatabase extends TestDatabase {
  readonly direct: TestDatabase
  /** Makes the database unavailable to the app. Call the returned function to make it available again. */
  makeUnavailable(): () => void
}

export interface Outage {
  name: string
  /** Some writes may still succeed during the outage. */
  isPartial?: boolean
  start(): Promise<BreakableDatabase>
}

/** An outage that the test causes over its own connection to the SQLite file. */
function sqliteOutage(
  name: string,
  breakDatabase: (database: DatabaseSync) => void,
  restore: (database: DatabaseSync) => void,
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
        makeUnavailable() {
          const database = new DatabaseSync(path, { timeout: 20_000 })
          breakDatabase(database)
          return () => {
            restore(database)
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

/** Fills the disk. The database is on a small tmpfs of its own, so this needs root on Linux (see `canMount`). */
const FULL_DISK: Outage = {
  name: 'a SQLite file on a full disk',
  isPartial: true,
  async start() {
    await using started = new AsyncDisposableStack()
    const folder = started.use(makeFolder())
    mount(folder.path)
    started.defer(() => unmount(folder.path))
    const resources = started.move()
    const sqliteFile = {
      url: `sqlite:${join(folder.path, 'signalman.db')}`,
      keys: KEY_A,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
    return {
      ...sqliteFile,
      direct: { ...sqliteFile, [Symbol.asyncDispose]: async () => undefined },
      makeUnavailable() {
        const filler = join(folder.path, 'filler')
        fill(filler)
        return () => rmSync(filler)
      },
    }
  },
}

const DISK_BYTES = 32 * 1024 * 1024

const mount = (path: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path], { stdio: 'ignore' })

const unmount = (path: string): void => void execFileSync('umount', ['-l', path], { stdio: 'ignore' })

function fill(path: string): void {
  for (const size of [1024 * 1024, 4096, 1])
    try {
      for (let written = 0; written < DISK_BYTES; written += size) appendFileSync(path, Buffer.alloc(size))
    } catch {
      // No space is left for another block of this size.
    }
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  using folder = makeFolder()
  try {
    mount(folder.path)
    unmount(folder.path)
    return true
  } catch {
    return false
  }
}

const DISCONNECTED_POSTGRES = postgresOutage('a PostgreSQL server that drops all connections', (proxy) =>
  proxy.disconnect(),
)

const LOCKED_SQLITE = sqliteOutage(
  'a SQLite file that another connection locks',
  (database) => database.exec('begin immediate'),
  (database) => database.exec('rollback'),
)

/** What processes share while they're killed: a SQLite file, and PostgreSQL with a pooler in front, if there is one. */
export const KILLED_ON: readonly Outage[] = [
  LOCKED_SQLITE,
  hasPgbouncer
    ? postgresOutage('PostgreSQL behind PgBouncer', (proxy) => proxy.disconnect(), { hasPooler: true })
    : DISCONNECTED_POSTGRES,
]

export const OUTAGES: readonly Outage[] = [
  ...(canMount() ? [FULL_DISK] : []),
  LOCKED_SQLITE,
  WITHOUT_TABLES,
  postgresOutage('a PostgreSQL server that stops responding', (proxy) => proxy.freeze()),
  DISCONNECTED_POSTGRES,
]
