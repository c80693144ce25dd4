import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { Kysely, type KyselyPlugin } from 'kysely'
import type { Database } from './database.ts'
import { DatabaseUnavailable, StoreError } from './errors.ts'
import { explainFileError } from './faults.ts'
import type { Schema } from './schema.ts'
import { isBusy, NodeSqliteDialect, sqliteErrorCode } from './sqlite-dialect.ts'

const WAL_ATTEMPTS = 250
const WAL_PAUSE_MS = 20
/** The size to which SQLite truncates the write-ahead log after a checkpoint. */
const MAX_KEPT_LOG_BYTES = 16 * 1024 * 1024

/**
 * Opens (or creates in an existing folder, readable only by its owner) a SQLite file in WAL mode with every commit synced. `:memory:` opens a database
 * without a file. Throws StoreError if the file can't be used.
 */
export async function openSqlite(
  path: string,
  plugin: KyselyPlugin,
): Promise<Omit<Database, 'model' | 'erasureGuard'>> {
  const file = path === ':memory:' ? undefined : resolve(path)
  const raw = await connect(file)
  const readInode = () => (file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.ino)
  const inode = readInode()
  // Whatever is written to a file without a name is lost when the process ends.
  const beforeWrite = () => {
    if (readInode() !== inode)
      throw new DatabaseUnavailable(
        undefined,
        `The database ${file} was moved or deleted while the app runs, so its changes are lost when it stops. Stop it, put the database back, and start it again.`,
      )
  }
  const rows = new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw, { beforeWrite }), plugins: [plugin] })
  return {
    kind: 'sqlite',
    file,
    rows,
    relaxed: (work) =>
      rows.connection().execute(async (connection) => {
        // Not prepared: SQLite runs this pragma while preparing it, so a cached statement would do nothing.
        raw.exec('pragma synchronous = normal')
        try {
          return await work(connection)
        } finally {
          raw.exec('pragma synchronous = full')
        }
      }),
    // Every transaction takes the single write lock at its start, so locks aren't needed here.
    withLock: (_workspaceId, work) => rows.transaction().execute(work),
    takeLock: async () => undefined,
    async withExclusiveLock(work) {
      return await rows.transaction().execute(work).catch(rethrowSqliteExplained(file))
    },
    async [Symbol.asyncDispose]() {
      await rows.destroy()
      if (raw.isOpen) raw.close()
    },
  }
}

async function connect(file: string | undefined): Promise<DatabaseSync> {
  let raw: DatabaseSync | undefined
  try {
    if (file !== undefined) makePrivate(file)
    if (file !== undefined) refuseForeignLog(file)
    raw = new DatabaseSync(file ?? ':memory:', { enableForeignKeyConstraints: true })
    if (file !== undefined) await switchToWal(raw)
    raw.exec(
      `pragma synchronous = full; pragma secure_delete = on; pragma journal_size_limit = ${MAX_KEPT_LOG_BYTES}`,
    )
    return raw
  } catch (error) {
    raw?.close()
    throw explainFileError(error, file)
  }
}

/** Create the file before SQLite does, because its -wal and -shm files inherit the mode of the database file. */
function makePrivate(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    if (existsSync(`${file}.key`))
      throw new StoreError(
        'unusable',
        `The key file ${file}.key is here, but the database ${file} isn’t. Put the database back, or correct the address. To begin with an empty one, delete the key file.`,
      )
    closeSync(openSync(file, 'a', 0o600))
  }
  const { mode, uid } = statSync(file)
  if ((mode & 0o077) !== 0 && process.getuid?.() === uid) chmodSync(file, 0o600)
}

/**
 * A backup has no write-ahead log, and its header says so. SQLite would still apply one that another database left at its path: the result
 * would be neither of the two. See https://sqlite.org/fileformat2.html, 1.3.3: 1 is the rollback journal, and 2 is the log.
 */
function refuseForeignLog(file: string): void {
  const log = `${file}-wal`
  if (!statSync(log, { throwIfNoEntry: false })?.size) return
  const header = Buffer.alloc(20)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, header)
  closeSync(descriptor)
  if (header[18] === 1)
    throw new StoreError(
      'unusable',
      `${log} belongs to another database than ${file}: move it to where that database is now.`,
    )
}

/** Retry while another process switches the same new file to WAL. The dialect, which handles locks, doesn't exist yet. */
async function switchToWal(raw: DatabaseSync): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      raw.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || attempt === WAL_ATTEMPTS) throw error
      await setTimeout(WAL_PAUSE_MS)
    }
  }
}

/** For errors of work that may also write other files: only SQLite's own are about the database. */
const rethrowSqliteExplained =
  (file: string | undefined) =>
  (error: unknown): never => {
    throw sqliteErrorCode(error) === undefined ? error : explainFileError(error, file)
  }
