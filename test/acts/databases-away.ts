import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DatabaseProxy, startDatabaseProxy } from '../databases/database-proxy.ts'
import { KEY_A, makeFolder, type TestDatabase } from '../databases/databases.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'

/** A database that the app reaches under `url`, and the test always reaches under `own`. */
export interface BreakableDatabase extends TestDatabase {
  readonly own: TestDatabase
  /** Makes it unavailable to the app until the returned function is called. */
  lose(): () => void
}

export interface Outage {
  name: string
  /** Some writes may still succeed during the outage. */
  isPartial?: boolean
  start(): Promise<BreakableDatabase>
}

/** A SQLite file that another connection locks, or that lacks its tables. */
function sqlite(
  name: string,
  lose: (database: DatabaseSync) => void,
  back: (database: DatabaseSync) => void,
): Outage {
  return {
    name,
    async start() {
      const folder = makeFolder()
      const path = join(folder.path, 'signalman.db')
      const own = {
        url: `sqlite:${path}`,
        keys: KEY_A,
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      }
      return {
        ...own,
        own,
        lose() {
          const database = new DatabaseSync(path, { timeout: 20_000 })
          lose(database)
          return () => {
            back(database)
            database.close()
          }
        },
      }
    },
  }
}

function postgres(name: string, away: (proxy: DatabaseProxy) => void): Outage {
  return {
    name,
    async start() {
      await using started = new AsyncDisposableStack()
      const server = started.use(await startPostgresDatabase('migrated'))
      const proxy = started.use(await startDatabaseProxy(new URL(server.url)))
      const everything = started.move()
      const dispose = { [Symbol.asyncDispose]: () => everything.disposeAsync() }
      const own = { url: server.url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
      return {
        url: proxy.url,
        keys: KEY_A,
        own,
        lose() {
          away(proxy)
          return () => proxy.back()
        },
        ...dispose,
      }
    },
  }
}

const TABLES = ['work', 'work_step']

/** Every statement fails immediately. */
export const WITHOUT_TABLES = sqlite(
  'a SQLite file without its tables of work',
  (database) => {
    for (const table of TABLES) database.exec(`alter table ${table} rename to ${table}_away`)
  },
  (database) => {
    for (const table of TABLES.toReversed()) database.exec(`alter table ${table}_away rename to ${table}`)
  },
)

/** A separate file system, if the user may mount one. */
const FULL_DISK: Outage = {
  name: 'a SQLite file on a full disk',
  isPartial: true,
  async start() {
    await using started = new AsyncDisposableStack()
    const folder = started.use(makeFolder())
    mount(folder.path)
    started.defer(() => unmount(folder.path))
    const everything = started.move()
    const own = {
      url: `sqlite:${join(folder.path, 'signalman.db')}`,
      keys: KEY_A,
      [Symbol.asyncDispose]: () => everything.disposeAsync(),
    }
    return {
      ...own,
      own: { ...own, [Symbol.asyncDispose]: async () => undefined },
      lose() {
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

function mayMount(): boolean {
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

export const POSTGRES_GONE = postgres('a PostgreSQL that is gone', (proxy) => proxy.away())

export const OUTAGES: readonly Outage[] = [
  ...(mayMount() ? [FULL_DISK] : []),
  sqlite(
    'a SQLite file that another process locks',
    (database) => database.exec('begin immediate'),
    (database) => database.exec('rollback'),
  ),
  WITHOUT_TABLES,
  postgres('a PostgreSQL that goes silent', (proxy) => proxy.silent()),
  POSTGRES_GONE,
]
