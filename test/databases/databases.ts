import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseKeys } from '../../packages/durable/src/secrets/keys.ts'
import { createSealer, type Sealer } from '../../packages/durable/src/secrets/seal.ts'
import { FAST_FOLDER } from '../fast-folder.ts'
import { startPostgresDatabase } from './postgres.ts'

/** A database without data. A test can open it several times, also from several processes, with its URL and keys. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  readonly keys: string
}

export interface TestFolder extends Disposable {
  readonly path: string
}

export const KEY_A = `a:${Buffer.alloc(32, 'a').toString('base64')}`
export const KEY_B = `b:${Buffer.alloc(32, 'b').toString('base64')}`

export function makeFolder(): TestFolder {
  const path = mkdtempSync(join(FAST_FOLDER, 'signalman-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The sealer for a database that a test opened directly, without a store. */
export const sealerOf = (keys: string): Sealer => createSealer(parseKeys(keys))

/** A place for a SQLite file, which whoever opens it first creates. */
export async function startSqliteFile(): Promise<TestDatabase & { readonly file: string }> {
  const folder = makeFolder()
  const file = join(folder.path, 'signalman.db')
  return {
    file,
    url: `sqlite:${file}`,
    keys: KEY_A,
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

const startPostgres = (initial: 'empty' | 'migrated') => async (): Promise<TestDatabase> => {
  const database = await startPostgresDatabase(initial)
  return { url: database.url, keys: KEY_A, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** Databases without tables that several processes can share. For tests of the first start and of restoring. */
export const EMPTY_DATABASES = [
  { name: 'a SQLite file', start: startSqliteFile },
  { name: 'PostgreSQL', start: startPostgres('empty') },
]

/**
 * Databases that several processes can share. On PostgreSQL, the current tables already exist, because copying them is faster than
 * creating them. Almost all other tests use a database in memory.
 */
export const SHARED_DATABASES = [
  { name: 'a SQLite file', start: startSqliteFile },
  { name: 'PostgreSQL', start: startPostgres('migrated') },
]

/** A registry that contains only this process, so that no other process takes over its work. */
export const NO_PROCESSES = { heartbeat: async () => 1, leave: async () => undefined }
