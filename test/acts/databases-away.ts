import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type DatabaseProxy, startDatabaseProxy } from '../store/database-proxy.ts'
import { KEY_A, makeFolder, type TestDatabase } from '../store/databases.ts'
import { startPostgresDatabase } from '../store/postgres.ts'

/** A database that the app reaches under `url`, and the test under `own`, whatever the app's way is like. */
export interface BreakableDatabase extends TestDatabase {
  readonly own: TestDatabase
  /** Takes it away from the app, for so long. */
  away(ms: number): Promise<void>
}

export interface Outage {
  name: string
  start(): Promise<BreakableDatabase>
}

/** One that another connection holds, or that lacks its table. */
function sqlite(name: string, away: (database: DatabaseSync, ms: number) => Promise<void>): Outage {
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
        async away(ms) {
          using database = new DatabaseSync(path, { timeout: 20_000 })
          await away(database, ms)
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
      const server = started.use(await startPostgresDatabase())
      const proxy = started.use(await startDatabaseProxy(new URL(server.url)))
      const everything = started.move()
      const dispose = { [Symbol.asyncDispose]: () => everything.disposeAsync() }
      const own = { url: server.url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
      return {
        url: proxy.url,
        keys: KEY_A,
        own,
        async away(ms) {
          away(proxy)
          await pause(ms)
          proxy.back()
        },
        ...dispose,
      }
    },
  }
}

export const OUTAGES: readonly Outage[] = [
  sqlite('a SQLite file that another process locks', async (database, ms) => {
    database.exec('begin immediate')
    await pause(ms)
    database.exec('rollback')
  }),
  sqlite('a SQLite file without its tables of work', async (database, ms) => {
    for (const table of ['work', 'work_step']) database.exec(`alter table ${table} rename to ${table}_away`)
    await pause(ms)
    for (const table of ['work_step', 'work']) database.exec(`alter table ${table}_away rename to ${table}`)
  }),
  postgres('a PostgreSQL that goes silent', (proxy) => proxy.silent()),
  postgres('a PostgreSQL that is gone', (proxy) => proxy.away()),
]
