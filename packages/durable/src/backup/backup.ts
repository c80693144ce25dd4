import { randomUUID } from 'node:crypto'
import { createWriteStream, statSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import { createAudit } from '../audit/audit.ts'
import { createDatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { describeWriteError, isWriteError, renameWithoutReplacing, syncFolder } from '../database/disk.ts'
import { StoreError } from '../database/errors.ts'
import { openDatabase } from '../database/open-database.ts'
import type { Schema } from '../database/schema.ts'
import { listTables, type OwnedRow, readAllRows } from '../database/stored-tables.ts'
import { fixedKeys, type Key } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/open-verified.ts'
import { createRowProofs } from '../secrets/row-proofs.ts'
import { createSealer } from '../secrets/seal.ts'
import { createWorkspaceKeys } from '../secrets/workspace-keys.ts'
import { createSettings } from '../settings.ts'
import { LAST_BACKUP, type LastBackup, LINEAGE, readId, WHOLE_STORE } from './backup-settings.ts'
import {
  type BackupHeader,
  type BackupRow,
  createLineWriter,
  FORMAT,
  type SealedRows,
  sealRows,
  splitIntoPieces,
  VERSION,
} from './format.ts'
import {
  defaultKeysFilePath,
  formatKeysFile,
  listNeededKeys,
  readKeyring,
  updateKeysFile,
} from './keys-file.ts'
import {
  createBackupKeyFinder,
  type FindBackupKey,
  findKeyPurpose,
  ownerExpression,
  WORKSPACE_KEYS,
} from './row-owners.ts'

/** A finished backup, and the path of the file with the current workspace keys. */
export interface Backup extends LastBackup {
  readonly header: BackupHeader
  readonly keysPath: string
}

/**
 * Writes a snapshot of the whole database to a new file while others keep using it. SQLite and PostgreSQL backups have the same
 * format. The backup contains no keys: the sealed workspace keys go to a second file beside it (or at `givenPath`), replacing its
 * content. Both files are complete and on disk when this returns. Throws StoreError.
 */
export async function backUp(options: StoreOptions, path: string, givenPath?: string): Promise<Backup> {
  await using database = await openDatabase(options.url, options.model)
  const deps = await openBackupDeps(database, options)
  const draft = `${path}.${randomUUID()}.part`
  const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
  try {
    const written = await writeDraft(database, deps, file, options)
    // Write the keys first, so that every existing backup can be decrypted.
    const keysPath = givenPath ?? defaultKeysFilePath(path, written.header.lineage)
    await updateKeys(database, deps, keysPath)
    await renameWithoutReplacing(draft, path)
    syncFolder(dirname(path))
    return { ...(await recordBackup(deps, written)), header: written.header, keysPath }
  } catch (error) {
    // The stream may not have created the file yet.
    await finished(file.destroy()).catch(() => undefined)
    await unlink(draft).catch(() => undefined)
    throw explainFileError(error, path)
  }
}

/**
 * Writes a backup to a stream, such as standard output, and resolves once the stream has taken all of it. The workspace keys go to the
 * file at `keysPath`, if it's given.
 */
export async function backUpTo(
  options: StoreOptions,
  stream: Writable,
  keysPath?: string,
): Promise<Omit<Backup, 'keysPath'>> {
  await using database = await openDatabase(options.url, options.model)
  const deps = await openBackupDeps(database, options)
  const written = await writeDraft(database, deps, stream, options)
  if (keysPath !== undefined) await updateKeys(database, deps, keysPath)
  return { ...(await recordBackup(deps, written)), header: written.header }
}

async function recordBackup(
  { settings }: Deps,
  { header, rows, bytes }: Awaited<ReturnType<typeof writeDraft>>,
): Promise<LastBackup> {
  const lastBackup: LastBackup = { id: header.id, at: header.madeAt, rows, bytes }
  await settings.set(WHOLE_STORE, LAST_BACKUP, lastBackup)
  return lastBackup
}

/** Formats the current workspace keys like a key file. Unlike `backUpKeys`, it has no other file's keys to keep. */
export async function formatWorkspaceKeys(options: StoreOptions): Promise<string> {
  await using database = await openDatabase(options.url, options.model)
  const { ring, lineage } = await openBackupDeps(database, options)
  return formatKeysFile(ring, lineage, await readKeyRows(database))
}

/**
 * Updates the key file at this path, or in this folder. Once a key is destroyed in it, none of the backups beside it can be
 * decrypted with that key. Returns the path of the file. Throws StoreError.
 */
export async function backUpKeys(options: StoreOptions, folderOrFile: string): Promise<string> {
  await using database = await openDatabase(options.url, options.model)
  const deps = await openBackupDeps(database, options)
  const isFolder = statSync(folderOrFile, { throwIfNoEntry: false })?.isDirectory() ?? false
  const path = isFolder ? defaultKeysFilePath(join(folderOrFile, 'backup'), deps.lineage) : folderOrFile
  await updateKeys(database, deps, path)
  return path
}

type Deps = Awaited<ReturnType<typeof openBackupDeps>>

async function openBackupDeps(database: Database, { keys, now = () => new Date() }: StoreOptions) {
  const ring = await readKeyring(keys, database.file)
  if (ring === undefined) {
    throw new StoreError(
      'missing-keys',
      'No backup was made, because no encryption keys were given. Pass the keys of the processes that use the database.',
    )
  }
  const tables = await listTables(database.rows, database.kind)
  if (!tables.some(({ name }) => name === 'migration'))
    throw new StoreError('unusable', 'No backup was made, because this database is empty.')
  const root = createSealer(ring)
  const proofs = createRowProofs(database.model.tables, root)
  const audit = createAudit(database, {
    sealer: root,
    keys: fixedKeys(ring),
    time: createDatabaseTime(database.kind),
  })
  // Nothing caches these settings, so there is nothing to invalidate.
  const settings = createSettings(database, { invalidateAfter: (_, write) => write }, proofs, audit)
  return {
    ring,
    root,
    settings,
    lineage: await readId(settings, LINEAGE),
    workspaceKeys: createWorkspaceKeys(database, root, { now }),
  }
}

async function updateKeys(database: Database, { ring, lineage }: Deps, path: string): Promise<void> {
  await updateKeysFile(path, ring, lineage, await readKeyRows(database))
}

const readKeyRows = (database: Database) =>
  database.rows.selectFrom(WORKSPACE_KEYS).selectAll().orderBy('id').execute()

async function writeDraft(
  database: Database,
  deps: Deps,
  stream: Writable,
  { now = () => new Date() }: Pick<StoreOptions, 'now'>,
) {
  return await database.snapshot(async (transaction) => {
    const header = await makeHeader(transaction, database, deps, now())
    const { ring, root, workspaceKeys } = deps
    const findKey = await createBackupKeyFinder(transaction, { rows: database.rows, root, workspaceKeys })
    const keys = { primary: ring.primary, findKey }
    const counts: Record<string, number> = {}
    const lines = createBackupLines(transaction, database.model.tables, header, keys, counts)
    let bytes = 0
    const count = new PassThrough().on('data', (chunk: Buffer) => (bytes += chunk.length))
    await pipeline(Readable.from(lines), createGzip(), count, stream)
    return { header, bytes, rows: Object.values(counts).reduce((sum, found) => sum + found, 0) }
  })
}

async function makeHeader(
  rows: Kysely<Schema>,
  database: Database,
  { ring, lineage }: Deps,
  now: Date,
): Promise<BackupHeader> {
  const tables = await listTables(rows, database.kind)
  const migrations = await sql<{ name: string }>`select name from migration order by name`.execute(rows)
  return {
    format: FORMAT,
    version: VERSION,
    lineage,
    id: randomUUID(),
    madeAt: now.toISOString(),
    database: database.kind,
    migrations: migrations.rows.map(({ name }) => name),
    keys: await listNeededKeys(rows, ring, database),
    tables: tables.filter(({ name }) => name !== WORKSPACE_KEYS),
  }
}

const explainFileError = (error: unknown, path: string): unknown =>
  isWriteError(error)
    ? new StoreError('bad-value', `No backup was made. The file ${path} ${describeWriteError(error)}.`, {
        cause: error,
      })
    : error

/**
 * Yields the lines of a backup in order, for all rows of the tables in the header, and counts the rows. A workspace's rows are
 * sealed with its own key.
 */
async function* createBackupLines(
  rows: Kysely<Schema>,
  tables: readonly Table[],
  header: BackupHeader,
  keys: { primary: Key; findKey: FindBackupKey },
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const writer = createLineWriter()
  const sealPage = createRowSealer(tables, header, keys.findKey)
  yield writer.line(header)
  for (const [tableIndex, table] of header.tables.entries()) {
    const owner = ownerExpression(tables, table)
    for await (const page of readAllRows(rows, table, owner)) {
      let text = ''
      for await (const line of sealPage(tableIndex, table.name, page)) text += writer.line(line)
      yield text
      counts[table.name] = (counts[table.name] ?? 0) + page.length
      await yieldWhenDue()
    }
  }
  yield writer.end(counts, keys.primary)
}

/** Seals the rows of workspaces. Counts the lines, because each line is sealed for its position. */
function createRowSealer(tables: readonly Table[], header: BackupHeader, findKey: FindBackupKey) {
  const keys = { content: new Map<string, Key>(), rows: new Map<string, Key>() }
  let line = 1
  return async function* (
    table: number,
    name: string,
    page: readonly OwnedRow[],
  ): AsyncGenerator<BackupRow | SealedRows> {
    for (const [workspaceId, ownedRows] of Map.groupBy(page, ({ owner }) => owner)) {
      const cells = ownedRows.map(({ cells }) => cells)
      if (workspaceId === '') {
        line += cells.length
        for (const row of cells) yield [table, ...row]
        continue
      }
      const purpose = findKeyPurpose(tables, name)
      const cachedKeys = keys[purpose]
      const key = cachedKeys.get(workspaceId) ?? (await findKey(workspaceId, purpose))
      cachedKeys.set(workspaceId, key)
      for (const piece of splitIntoPieces(cells)) {
        const sealed = sealRows(key, piece, { backup: header.id, table: name, line })
        line += 1
        yield { table, key: key.id, rows: piece.length, sealed }
      }
    }
  }
}
