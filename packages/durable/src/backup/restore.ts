import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Table } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { openDatabase } from '../database/open-database.ts'
import type { WorkspaceKeyRow } from '../database/schema.ts'
import { explain } from '../database/sqlite.ts'
import { isBusy, withFile } from '../database/sqlite-dialect.ts'
import {
  databasePath,
  fillingAt,
  placeInUse,
  putInPlace,
  removeDatabase,
  takePlace,
} from '../database/sqlite-place.ts'
import { keyFileOf } from '../secrets/key-check.ts'
import { reviveKeys } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/opening.ts'
import { type Filling, fill } from './fill.ts'
import { type BackupHeader, damaged } from './format.ts'
import { type Former, newerIn, readFormer, refuseNotEmpty, stampOf, unreadFormer } from './former.ts'
import { keysFileBeside, readKeyring, readKeysFile, refuseWithoutKeys, unusable } from './keys-file.ts'
import { readBackup, refuseForged } from './read-backup.ts'
import type { InPlace, Restoration } from './restoration.ts'
import { restorePostgres } from './restore-postgres.ts'

export interface RestoreOptions extends StoreOptions {
  /** The backup. */
  readonly path: string
  /** The file with the workspaces' keys: beside the backup unless given. */
  readonly keysPath?: string | undefined
  /** True to replace a database that is not empty; the former one is kept. */
  readonly isReplacing?: boolean | undefined
}

/**
 * Fills a new database, verifies it, and puts it as a whole in the place of one that is not in use: of an empty one, or with
 * `isReplacing` of any, which is kept under another name. Nothing has changed when this throws: StoreError `unusable` for a damaged
 * backup, `wrong-key` without its keys, `not-empty` for a database that isn’t empty, `bad-value` for one in use.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restoration> {
  const { url, keys, path, keysPath, isReplacing = false, now = () => new Date() } = options
  const header = await readBackupHeader(path)
  const file = parseSqliteFile(url)
  const where =
    file === undefined
      ? 'add them to the others'
      : `put the key file of that database back as ${file}.key, and its former keys as ${file}.key.former, or give all keys in another way`
  const ring = refuseWithoutKeys(await readKeyring(keys, file), header.keys, where)
  // What follows may rely on what it reads: the whole of it was written by whoever has the keys.
  for await (const part of readBackup(path)) if ('end' in part) refuseForged(ring, part.end, path)
  const workspaceKeys = (await readWorkspaceKeys(path, header, ring, keysPath)) ?? []
  if (!keys?.trim() && file !== undefined)
    await reviveKeys(
      keyFileOf(file),
      header.keys.map(({ id }) => id),
    )
  const filling = { model: options.model, path, header, ring, workspaceKeys, now: now() }
  return {
    header,
    ...(file === undefined
      ? await restorePostgres(url, filling, isReplacing)
      : await restoreSqlite(file, filling, isReplacing)),
  }
}

export async function readBackupHeader(path: string): Promise<BackupHeader> {
  for await (const part of readBackup(path)) if ('header' in part) return part.header
  throw damaged(path, 'it is empty')
}

/** The workspaces' keys for a backup; undefined where there is no file of them. */
export async function readWorkspaceKeys(
  path: string,
  { lineage }: BackupHeader,
  ring: Keyring,
  keysPath: string | undefined,
): Promise<readonly WorkspaceKeyRow[] | undefined> {
  const from = keysPath ?? keysFileBeside(path, lineage)
  const held = await readKeysFile(from, ring)
  if (held === undefined && keysPath !== undefined)
    throw new StoreError('bad-value', `There is no file ${keysPath}.`)
  if (held !== undefined && held.lineage !== lineage) throw unusable(from, 'belongs to another database')
  return held?.keys
}

function parseSqliteFile(url: string): string | undefined {
  if (!/^sqlite:/i.test(url.trim())) return undefined
  const file = url.trim().slice('sqlite:'.length)
  if (file === ':memory:')
    throw new StoreError(
      'bad-url',
      'A backup cannot be restored into memory: give a file, sqlite:./folder/file.db.',
    )
  return file
}

/**
 * Makes the database in a new file, which takes the place of the former one once it is whole. Nobody starts meanwhile, also where
 * there is no file yet.
 */
async function restoreSqlite(given: string, filling: Filling, isReplacing: boolean): Promise<InPlace> {
  const file = databasePath(given)
  using _alone = takePlace(file)
  const former = existsSync(file) ? await formerAt(file, filling.model.tables) : undefined
  if (former) refuseNotEmpty(former, { isReplacing, file })
  const fresh = fillingAt(file)
  try {
    const made = await makeAt(fresh, filling, former)
    refuseUnsound(fresh)
    // Without tables it holds nothing that anybody may want back.
    if (!former) rmSync(file, { force: true })
    return { ...made, former: putInPlace(file, stampOf(filling.now, former)), damage: former?.damage }
  } catch (error) {
    removeDatabase(fresh)
    throw explain(error, fresh)
  }
}

async function makeAt(fresh: string, filling: Filling, former: Former | undefined) {
  await using database = await openDatabase(`sqlite:${fresh}`, filling.model)
  const leftOut = await database.exclusively((transaction) => fill(database, transaction, filling, former))
  return { ...leftOut, newer: former && (await newerIn(former, database.rows, filling.model.tables)) }
}

/**
 * What is in the file, which holds its logs too after this; undefined without tables. Whoever has it open without the place's lock,
 * as sqlite3 does, is found out by the database's own. Throws StoreError.
 */
async function formerAt(file: string, tables: readonly Table[]): Promise<Former | undefined> {
  try {
    return await withFile(file, 'pragma journal_mode = delete; begin exclusive', (rows) =>
      readFormer(rows, tables, 'sqlite'),
    )
  } catch (error) {
    if (isBusy(error)) throw placeInUse(file, error)
    const explained = explain(error, file)
    if (explained instanceof StoreError && explained.kind === 'unreachable') throw explained
    return unreadFormer(error instanceof Error ? error.message : String(error))
  }
}

/** Throws StoreError `unusable` for what a sound disk would have kept otherwise. */
function refuseUnsound(fresh: string): void {
  using raw = new DatabaseSync(fresh)
  const [first] = raw.prepare('pragma integrity_check').all()
  const loose = raw.prepare('pragma foreign_key_check').all()
  if (first?.integrity_check === 'ok' && loose.length === 0) return
  throw new StoreError(
    'unusable',
    `What was made of the backup is damaged (${first?.integrity_check ?? 'no answer'}), and nothing was changed: look at the disk, and try again.`,
  )
}
