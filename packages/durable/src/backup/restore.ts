import { StoreError } from '../database/errors.ts'
import type { WorkspaceKeyRow } from '../database/schema.ts'
import type { Keyring } from '../secrets/keys.ts'
import type { StoreOptions } from '../secrets/opening.ts'
import type { LeftOut } from './fill.ts'
import type { BackupHeader } from './format.ts'
import type { NewerInFormer } from './former.ts'
import { foundKeys, keysFileBeside, readKeysFile, refuseWithoutKeys, unusable } from './keys-file.ts'
import { readBackup, refuseForged } from './read-backup.ts'
import { restorePostgres } from './restore-postgres.ts'
import { restoreSqlite } from './restore-sqlite.ts'

export interface RestoreOptions extends StoreOptions {
  /** The backup. */
  readonly path: string
  /** The file with the workspaces' keys: beside the backup unless given. */
  readonly keysPath?: string | undefined
  /** True to replace a database that is not empty; the former one is kept. */
  readonly isReplacing?: boolean | undefined
}

export interface Restoration extends LeftOut {
  readonly header: BackupHeader
  /** Where the former database is now: a file, or a schema of PostgreSQL. */
  readonly former: string | undefined
  /** Why nothing of the former one could be read. */
  readonly damage: string | undefined
  /** What the former database held and the backup lacks. */
  readonly newer: NewerInFormer | undefined
}

/** What the restore into either kind of database says. */
export type InPlace = Omit<Restoration, 'header'>

/**
 * Fills a new database, verifies it, and puts it as a whole in the place of one that is not in use: of an empty one, or with
 * `isReplacing` of any, which is kept under another name. Nothing has changed when this throws: StoreError `unusable` for a damaged
 * backup, `wrong-key` without its keys, `bad-value` for a database that is not empty or in use.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restoration> {
  const { url, keys, path, keysPath, isReplacing = false, now = () => new Date() } = options
  const header = await headerOf(path)
  const file = sqliteFileOf(url)
  const where =
    file === undefined
      ? 'add what is missing to ENCRYPTION_KEYS'
      : `put the key file of that database back as ${file}.key, or set ENCRYPTION_KEYS`
  const ring = refuseWithoutKeys(await foundKeys(keys, file), header.keys, where)
  // What follows may rely on what it reads: the whole of it was written by whoever has the keys.
  for await (const part of readBackup(path)) if ('end' in part) refuseForged(ring, part.end, path)
  const workspaceKeys = (await keysFor(path, header, ring, keysPath)) ?? []
  const filling = { model: options.model, path, header, ring, workspaceKeys, now: now() }
  return {
    header,
    ...(file === undefined
      ? await restorePostgres(url, filling, isReplacing)
      : await restoreSqlite(file, filling, isReplacing)),
  }
}

export async function headerOf(path: string): Promise<BackupHeader> {
  for await (const part of readBackup(path)) if ('header' in part) return part.header
  throw new StoreError('unusable', `The backup ${path} is damaged: it is empty. Take another one.`)
}

/** The workspaces' keys for a backup; undefined where there is no file of them. */
export async function keysFor(
  path: string,
  { store }: BackupHeader,
  ring: Keyring,
  keysPath: string | undefined,
): Promise<readonly WorkspaceKeyRow[] | undefined> {
  const from = keysPath ?? keysFileBeside(path, store)
  const held = await readKeysFile(from, ring)
  if (held === undefined && keysPath !== undefined)
    throw new StoreError('unreachable', `There is no file ${keysPath}.`)
  if (held !== undefined && held.store !== store) throw unusable(from, 'belongs to another database')
  return held?.keys
}

function sqliteFileOf(url: string): string | undefined {
  if (!/^sqlite:/i.test(url.trim())) return undefined
  const file = url.trim().slice('sqlite:'.length)
  if (file === ':memory:')
    throw new StoreError(
      'bad-url',
      'A backup cannot be restored into memory: give a file, sqlite:./folder/file.db.',
    )
  return file
}
