import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { link, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { yieldWhenDue } from '../../turns.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { codeOf, StoreError } from '../database/errors.ts'
import { rowsOf } from '../database/rows-of-table.ts'
import type { Schema } from '../database/schema.ts'
import { tablesOf } from '../database/tables.ts'
import { syncFolder } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/opening.ts'
import { settingStore } from '../workspaces/settings.ts'
import { foundKeys, keysNeeded } from './backup-keys.ts'
import { type BackupHeader, FORMAT, VERSION } from './format.ts'
import { createLineWriter } from './line-writer.ts'
import { LAST_BACKUP, type LastBackup, WHOLE_STORE } from './marks.ts'

/**
 * Writes everything that the database holds at this moment into a new file, while others go on using it; the same file for
 * SQLite and PostgreSQL. No key is in it. The file is whole and on disk before this returns, or not there. Throws StoreError.
 */
export async function backUp(
  { url, keys, now = () => new Date() }: StoreOptions,
  path: string,
): Promise<LastBackup & { header: BackupHeader }> {
  await using database = await openDatabase(url)
  const ring = await foundKeys(keys, database.file)
  if (ring === undefined) {
    throw new StoreError(
      'bad-keys',
      'There are no encryption keys here: set ENCRYPTION_KEYS to those of the app.',
    )
  }
  const draft = `${path}.${randomUUID()}.part`
  try {
    const { header, rows } = await writeDraft(database, ring, draft, now())
    const { size } = await stat(draft)
    await place(draft, path)
    await syncFolder(dirname(path))
    const made: LastBackup = { id: header.id, at: header.madeAt, rows, bytes: size }
    // Nobody keeps it in memory.
    const settings = settingStore(database, { changing: (_, write) => write })
    await settings.set(WHOLE_STORE, LAST_BACKUP, made)
    return { ...made, header }
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw explained(error, path)
  }
}

async function writeDraft(database: Database, ring: Keyring, draft: string, now: Date) {
  const done = { rows: 0, header: undefined as BackupHeader | undefined }
  await database.snapshot(async (transaction) => {
    const header = await headerOf(transaction, database, ring, now)
    done.header = header
    const lines = linesOf(transaction, header, ring, (more) => {
      done.rows += more
    })
    await pipeline(
      Readable.from(lines),
      createGzip(),
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
    )
  })
  // A snapshot that has ended has written its header first.
  return { rows: done.rows, header: done.header as BackupHeader }
}

async function headerOf(
  rows: Kysely<Schema>,
  database: Database,
  ring: Keyring,
  now: Date,
): Promise<BackupHeader> {
  const tables = await tablesOf(rows, database.kind)
  if (!tables.some(({ name }) => name === 'migration'))
    throw new StoreError('unusable', 'There is nothing to back up: Signalman has never used this database.')
  const migrations = await sql<{ name: string }>`select name from migration order by name`.execute(rows)
  return {
    format: FORMAT,
    version: VERSION,
    id: randomUUID(),
    madeAt: now.toISOString(),
    database: database.kind,
    migrations: migrations.rows.map(({ name }) => name),
    keys: await keysNeeded(rows, ring, database),
    tables,
  }
}

async function* linesOf(
  rows: Kysely<Schema>,
  header: BackupHeader,
  ring: Keyring,
  onRows: (more: number) => void,
): AsyncGenerator<string> {
  const writer = createLineWriter()
  const counts: Record<string, number> = {}
  yield writer.line(header)
  for (const [place, table] of header.tables.entries()) {
    for await (const page of rowsOf(rows, table)) {
      yield page.map((cells) => writer.line([place, ...cells])).join('')
      counts[table.name] = (counts[table.name] ?? 0) + page.length
      onRows(page.length)
      await yieldWhenDue()
    }
  }
  yield writer.end(counts, ring.primary)
}

/** Unlike a rename, a link never takes the place of a file that is there; not every disk knows links. */
async function place(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
    await unlink(draft)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error
    if (existsSync(path)) throw Object.assign(new Error('It is there.'), { code: 'EEXIST' })
    await rename(draft, path)
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'is there already: give another name, or take it away',
  ENOSPC: 'cannot be written, because the disk is full: make room',
  EACCES: 'cannot be written: make its folder writable for you',
  EROFS: 'is on a read-only disk: give another one',
  ENOENT: 'has no folder: make it first',
}

function explained(error: unknown, path: string): unknown {
  const fault = FAULTS[codeOf(error)]
  return fault === undefined
    ? error
    : new StoreError('unreachable', `The file ${path} ${fault}.`, { cause: error })
}
