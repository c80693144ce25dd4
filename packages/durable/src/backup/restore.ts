import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../database/errors.ts'
import { openDatabase } from '../database/open-database.ts'
import type { WorkspaceKeyRow } from '../database/schema.ts'
import { explainFileError } from '../database/sqlite.ts'
import { isBusy, withFile } from '../database/sqlite-dialect.ts'
import {
  copyDatabase,
  databaseInUseError,
  databasePath,
  lockForReplacing,
  newDatabasePath,
  removeDatabase,
  replaceDatabase,
} from '../database/sqlite-files.ts'
import { keyFilePath } from '../secrets/key-check.ts'
import { reviveKeys } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/open-verified.ts'
import { type FillOptions, fillDatabase } from './fill-database.ts'
import { type BackupHeader, damagedBackupError } from './format.ts'
import {
  createRetiredName,
  createUnreadableFormer,
  type FormerDatabase,
  findNewerRecords,
  readFormerDatabase,
  refuseNotEmpty,
} from './former-database.ts'
import {
  ADD_KEYS,
  defaultKeysFilePath,
  readKeyring,
  readKeysFile,
  requireKeys,
  unusableFileError,
} from './keys-file.ts'
import { readBackup, requireValidSeal } from './read-backup.ts'
import type { DatabaseRestoration, Restoration } from './restoration.ts'
import { restorePostgres } from './restore-postgres.ts'

export interface RestoreOptions extends StoreOptions {
  /** The path of the backup. */
  readonly path: string
  /** The file with the workspace keys. By default, the one beside the backup. */
  readonly keysPath?: string | undefined
  /** True to replace a database that isn't empty. The former database is kept. */
  readonly isReplacing?: boolean | undefined
}

/**
 * Restores a backup: fills and verifies a new database, then replaces the former one, which must not be in use. With `isReplacing`,
 * the former one may contain data, and is kept under another name. If this throws, nothing has changed. Throws StoreError
 * `unusable` for a damaged backup, `wrong-key` if its keys are missing, `not-empty` if the former database isn't empty, and
 * `bad-value` if it's in use.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restoration> {
  const { url, isReplacing = false } = options
  const file = parseSqliteFile(url)
  const { fillOptions, reviveKeyFile } = await prepareRestore(options, file)
  return {
    header: fillOptions.header,
    ...(file === undefined
      ? await restorePostgres(url, fillOptions, isReplacing)
      : await restoreSqlite(file, fillOptions, isReplacing, reviveKeyFile)),
  }
}

/**
 * Restores a backup into a new file beside it, or in the temporary folder, and deletes that file again. Throws StoreError like a
 * restore on an empty machine with these keys would.
 */
export async function tryRestore(options: Omit<RestoreOptions, 'isReplacing'>): Promise<void> {
  const { path } = options
  const { fillOptions } = await prepareRestore(options, parseSqliteFile(options.url))
  const folder = await mkdtemp(`${path}.trial-`).catch(() => mkdtemp(join(tmpdir(), 'signalman-trial-')))
  try {
    const trialFile = join(folder, 'trial.db')
    await buildDatabase(trialFile, fillOptions, undefined)
    refuseCorrupt(trialFile)
  } catch (error) {
    throw explainFileError(error, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads everything that a restore needs, and verifies the backup's seal. Changes nothing. Throws StoreError. */
async function prepareRestore(
  { model, keys, path, keysPath, now = () => new Date() }: RestoreOptions,
  file: string | undefined,
) {
  const header = await readBackupHeader(path)
  const fix =
    file === undefined
      ? ADD_KEYS
      : `Put that database’s key file back as ${file}.key and its former keys as ${file}.key.former, or pass all keys in another way.`
  const ring = requireKeys(await readKeyring(keys, file), header.keys, fix)
  // Read the whole backup and verify its seal first, so that everything below can trust what it reads.
  for await (const part of readBackup(path)) if ('end' in part) requireValidSeal(ring, part.end, path)
  const workspaceKeys = (await readWorkspaceKeys(path, header, ring, keysPath)) ?? []
  return {
    fillOptions: { model, path, header, ring, workspaceKeys, now: now() },
    /** Copies the backup's keys back into the key file, if the keys are there. */
    async reviveKeyFile(): Promise<void> {
      if (keys?.trim() || file === undefined) return
      await reviveKeys(
        keyFilePath(file),
        header.keys.map(({ id }) => id),
      )
    },
  }
}

export async function readBackupHeader(path: string): Promise<BackupHeader> {
  for await (const part of readBackup(path)) if ('header' in part) return part.header
  throw damagedBackupError(path, 'it is empty')
}

/** Reads the workspace keys for a backup. Returns undefined if there is no key file. */
export async function readWorkspaceKeys(
  path: string,
  { lineage }: BackupHeader,
  ring: Keyring,
  keysPath: string | undefined,
): Promise<readonly WorkspaceKeyRow[] | undefined> {
  const from = keysPath ?? defaultKeysFilePath(path, lineage)
  const keysFile = await readKeysFile(from, ring)
  if (keysFile === undefined && keysPath !== undefined)
    throw new StoreError('bad-value', `The file ${keysPath} doesn’t exist.`)
  if (keysFile !== undefined && keysFile.lineage !== lineage)
    throw unusableFileError(from, 'belongs to another database')
  return keysFile?.keys
}

function parseSqliteFile(url: string): string | undefined {
  if (!/^sqlite:/i.test(url.trim())) return undefined
  const file = url.trim().slice('sqlite:'.length)
  if (file === ':memory:')
    throw new StoreError(
      'bad-url',
      'A backup can’t be restored into an in-memory database. Use a file, such as sqlite:./folder/file.db.',
    )
  return file
}

/**
 * Builds the database in a new file that replaces the former one once it's complete. The lock keeps other processes from starting
 * meanwhile, even when there is no database file yet.
 */
async function restoreSqlite(
  path: string,
  fillOptions: FillOptions,
  isReplacing: boolean,
  reviveKeyFile: () => Promise<void>,
): Promise<DatabaseRestoration> {
  const file = databasePath(path)
  using _lock = lockForReplacing(file)
  const newFile = newDatabasePath(file)
  const former = existsSync(file) ? await readFormerAt(file, newFile, fillOptions) : undefined
  if (former) refuseNotEmpty(former, { isReplacing, file })
  try {
    const built = await buildDatabase(newFile, fillOptions, former)
    refuseCorrupt(newFile)
    await refuseInUse(file)
    await reviveKeyFile()
    // A database without tables contains nothing worth keeping.
    if (!former) rmSync(file, { force: true })
    return {
      ...built,
      former: replaceDatabase(file, createRetiredName(fillOptions.now, former)),
      isOther: former?.isOther ?? false,
      damage: former?.damage,
    }
  } catch (error) {
    removeDatabase(newFile)
    throw explainFileError(error, newFile)
  }
}

async function buildDatabase(newFile: string, fillOptions: FillOptions, former: FormerDatabase | undefined) {
  await using database = await openDatabase(`sqlite:${newFile}`, fillOptions.model)
  const omissions = await database.withExclusiveLock((transaction) =>
    fillDatabase(database, transaction, fillOptions, former),
  )
  return {
    ...omissions,
    newer: former && (await findNewerRecords(former, database.rows, fillOptions.model.tables)),
  }
}

/**
 * Reads the database in the file from a copy, because opening a database may change its files, even a damaged one. Returns undefined
 * if it has no tables. Throws StoreError.
 */
async function readFormerAt(
  file: string,
  copy: string,
  { model: { tables }, header: { lineage } }: FillOptions,
): Promise<FormerDatabase | undefined> {
  try {
    copyDatabase(file, copy)
    return await withFile(copy, '', (rows) => readFormerDatabase(rows, tables, { kind: 'sqlite', lineage }))
  } catch (error) {
    const explained = explainFileError(error, file)
    if (explained instanceof StoreError && explained.kind === 'unreachable') throw explained
    return createUnreadableFormer(error instanceof Error ? error.message : String(error))
  } finally {
    removeDatabase(copy)
  }
}

/**
 * Throws StoreError if a program that doesn't know the lock, such as sqlite3, has the file open. SQLite's own locks say so, but only
 * to whoever may change the file, so this comes last.
 */
async function refuseInUse(file: string): Promise<void> {
  if (!existsSync(file)) return
  try {
    await withFile(file, 'pragma journal_mode = delete; begin exclusive', async () => undefined)
  } catch (error) {
    if (isBusy(error)) throw databaseInUseError(file, error)
    // It's damaged, and kept as it is.
  }
}

/** Throws StoreError `unusable` if the new file is corrupt, which means that the disk is faulty. */
function refuseCorrupt(newFile: string): void {
  using raw = new DatabaseSync(newFile)
  const [first] = raw.prepare('pragma integrity_check').all()
  const brokenReferences = raw.prepare('pragma foreign_key_check').all()
  if (first?.integrity_check === 'ok' && brokenReferences.length === 0) return
  throw new StoreError(
    'unusable',
    `The restored database is corrupt (${first?.integrity_check ?? 'no answer'}), so nothing was changed. Check the disk, then try again.`,
  )
}
