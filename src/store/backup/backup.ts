import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync, statSync } from 'node:fs'
import { link, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { type Database, openDatabase } from '../database/database.ts'
import { codeOf, StoreError } from '../database/errors.ts'
import { createReadCache } from '../database/read-cache.ts'
import type { Schema } from '../database/schema.ts'
import { tablesOf } from '../database/tables.ts'
import { syncFolder } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/opening.ts'
import { createSealer, type Sealer } from '../secrets/seal.ts'
import { createWorkspaceKeys, type WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { settingStore } from '../workspaces/settings.ts'
import { foundKeys, keysNeeded } from './backup-keys.ts'
import { LAST_BACKUP, type LastBackup, STORE_ID, WHOLE_STORE } from './backup-settings.ts'
import { type BackupHeader, FORMAT } from './format.ts'
import { keysFileBeside, readKeysFile, writeKeysFile } from './keys-file.ts'
import { mergedKeys } from './known-keys.ts'
import { WORKSPACE_KEYS } from './owners.ts'
import { rowsKeysAt } from './rows-keys.ts'
import { backupLines } from './write-lines.ts'

/**
 * Writes the whole database, as of this moment, to a new file while others use it; the format is the same for SQLite and PostgreSQL.
 * The file holds no keys: the workspaces' sealed keys replace the content of a second file beside it (or at `keysPath`). Both are
 * complete and on disk before this returns. Throws StoreError.
 */
export async function backUp(
  options: StoreOptions,
  path: string,
  keysPath?: string,
): Promise<LastBackup & { header: BackupHeader; keysPath: string | undefined }> {
  const { now = () => new Date() } = options
  await using database = await openDatabase(options.url)
  const parts = await partsOf(database, options)
  const draft = `${path}.${randomUUID()}.part`
  try {
    const { header, rows } = await writeDraft(database, parts, draft, now())
    const { size } = await stat(draft)
    const { store } = header
    const keysFile = store === undefined ? undefined : (keysPath ?? keysFileBeside(path, store))
    // The keys first: then every backup that exists can be opened.
    if (keysFile !== undefined) await renewKeysFile(database, parts, keysFile)
    await place(draft, path)
    await syncFolder(dirname(path))
    const made: LastBackup = { id: header.id, at: header.madeAt, rows, bytes: size }
    await uncached(database).set(WHOLE_STORE, LAST_BACKUP, made)
    return { ...made, header, keysPath: keysFile }
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw explained(error, path)
  }
}

/**
 * Replaces the keys in this file (or in the file in this folder) by the workspaces' present keys: a key destroyed since then opens none
 * of the backups beside it. Returns the file's path. Throws StoreError.
 */
export async function backUpKeys(options: StoreOptions, folderOrFile: string): Promise<string> {
  await using database = await openDatabase(options.url)
  const parts = await partsOf(database, options)
  const isFolder = statSync(folderOrFile, { throwIfNoEntry: false })?.isDirectory() ?? false
  const path = isFolder ? keysFileBeside(join(folderOrFile, 'backup'), parts.store ?? '') : folderOrFile
  await renewKeysFile(database, parts, path)
  return path
}

interface Parts {
  readonly ring: Keyring
  readonly root: Sealer
  /** Undefined in a database of a version before keys of workspaces. */
  readonly store: string | undefined
  readonly workspaceKeys: WorkspaceKeys
}

async function partsOf(database: Database, { keys, now = () => new Date() }: StoreOptions): Promise<Parts> {
  const ring = await foundKeys(keys, database.file)
  if (ring === undefined) {
    throw new StoreError(
      'bad-keys',
      'There are no encryption keys here: set ENCRYPTION_KEYS to those of the app.',
    )
  }
  const tables = await tablesOf(database.rows, database.kind)
  const hasKeys = tables.some(({ name }) => name === WORKSPACE_KEYS)
  const cache = createReadCache({ version: () => undefined, hear: () => undefined })
  const options = { isOn: () => true, now }
  const root = createSealer(ring)
  return {
    ring,
    root,
    store: hasKeys ? await storeIdOf(database) : undefined,
    workspaceKeys: createWorkspaceKeys(database, root, cache, options),
  }
}

/** A settings store without a cache: no process keeps these settings in memory. */
const uncached = (database: Database) => settingStore(database, { changing: (_, write) => write })

async function storeIdOf(database: Database): Promise<string> {
  const settings = uncached(database)
  const known = await settings.get(WHOLE_STORE, STORE_ID)
  if (known !== undefined) return known
  const made = randomUUID()
  await settings.set(WHOLE_STORE, STORE_ID, made)
  return made
}

async function renewKeysFile(database: Database, { ring, store }: Parts, path: string): Promise<void> {
  if (store === undefined)
    throw new StoreError(
      'unusable',
      'No workspace has a key of its own in this database: start the app first.',
    )
  const held = (await readKeysFile(path, ring, store).catch(noLongerOurs)) ?? []
  const rows = await database.rows.selectFrom(WORKSPACE_KEYS).selectAll().orderBy('id').execute()
  await writeKeysFile(path, ring, store, [...mergedKeys(rows, held).values()])
}

/** Treats a keys file whose encryption key was given up as empty: nothing opens the keys in it. */
function noLongerOurs(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.kind !== 'wrong-key') throw error
}

async function writeDraft(database: Database, parts: Parts, draft: string, now: Date) {
  const done = { rows: 0, header: undefined as BackupHeader | undefined }
  await database.snapshot(async (transaction) => {
    const header = await headerOf(transaction, database, parts, now)
    done.header = header
    const { ring, root, store, workspaceKeys } = parts
    // A database without keys of workspaces holds nothing sealed with them.
    const ofWorkspace =
      store === undefined
        ? workspaceKeys.keyFor
        : await rowsKeysAt(transaction, { rows: database.rows, root, workspaceKeys })
    const keys = { primary: ring.primary, ofWorkspace }
    const lines = backupLines(transaction, header, keys, (more) => {
      done.rows += more
    })
    await pipeline(
      Readable.from(lines),
      createGzip(),
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
    )
  })
  // The snapshot has ended, so its header was written.
  return { rows: done.rows, header: done.header as BackupHeader }
}

async function headerOf(
  rows: Kysely<Schema>,
  database: Database,
  { ring, store }: Parts,
  now: Date,
): Promise<BackupHeader> {
  const tables = await tablesOf(rows, database.kind)
  if (!tables.some(({ name }) => name === 'migration'))
    throw new StoreError('unusable', 'There is nothing to back up: Signalman has never used this database.')
  const migrations = await sql<{ name: string }>`select name from migration order by name`.execute(rows)
  return {
    format: FORMAT,
    version: store === undefined ? 1 : 2,
    ...(store !== undefined && { store }),
    id: randomUUID(),
    madeAt: now.toISOString(),
    database: database.kind,
    migrations: migrations.rows.map(({ name }) => name),
    keys: await keysNeeded(rows, ring, database),
    tables: tables.filter(({ name }) => name !== WORKSPACE_KEYS),
  }
}

/** Unlike a rename, a link never replaces an existing file; but some disks have no links. */
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
