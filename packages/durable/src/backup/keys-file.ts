import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { describeWriteError, writeFileAtomically } from '../database/disk.ts'
import { errorCode, StoreError } from '../database/errors.ts'
import { parseObject } from '../database/json.ts'
import type { Schema, WorkspaceKeyRow } from '../database/schema.ts'
import { keyFilePath, verifyKey } from '../secrets/key-check.ts'
import { readAllKeys } from '../secrets/key-file.ts'
import { deriveBytes, type Key, type Keyring, keyFingerprint, parseKeys } from '../secrets/keys.ts'
import { createSealer, type TextOpener, tryOpen } from '../secrets/seal.ts'
import { openWorkspaceKey, resealKey } from '../secrets/workspace-keys.ts'
import type { KeyName } from './format.ts'

/**
 * The workspace keys, each sealed with an encryption key, in a file next to the backups that they open. All backups of a database
 * and of its restored copies share one file, so destroying a key in it destroys it for all of them.
 */
interface KeysFile {
  readonly format: typeof FORMAT
  readonly version: typeof VERSION
  /** The ID that the database shares with all its restored copies. */
  readonly lineage: string
  readonly keys: readonly WorkspaceKeyRow[]
  readonly sealedBy: string
  /** An HMAC of all fields above, with a key derived from the key `sealedBy`. */
  readonly seal: string
}

const FORMAT = 'durable-workspace-keys'
const VERSION = 1

/** The default path of the file with the workspace keys for a backup. */
export const defaultKeysFilePath = (backup: string, lineage: string): string =>
  join(dirname(backup), `${lineage.slice(0, 8)}.workspace-keys`)

/**
 * Returns undefined if there is no file. Throws StoreError `unusable` if it's damaged or forged, and `wrong-key` if its key is
 * missing.
 */
export async function readKeysFile(
  path: string,
  ring: Keyring,
): Promise<Pick<KeysFile, 'lineage' | 'keys'> | undefined> {
  const file = await readUnverified(path)
  if (file === undefined) return undefined
  const key = ring.byId.get(file.sealedBy)
  if (key === undefined) {
    throw new StoreError(
      'wrong-key',
      `The file ${path} is sealed with the encryption key "${file.sealedBy}", which isn’t among the given keys. Add that key.`,
    )
  }
  if (makeSeal(key, file) !== file.seal)
    throw unusableFileError(path, 'was changed by someone without the encryption keys')
  return file
}

/** Reads the file, but doesn't check its seal. Without that check, anyone may have written the file. */
async function readUnverified(path: string): Promise<KeysFile | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new StoreError(
      'bad-value',
      `The file ${path} can’t be read (${errorCode(error)}). Make it readable for the user that runs this command.`,
      {
        cause: error,
      },
    )
  }
  const content = parseObject(text)
  if (content?.format !== FORMAT)
    throw unusableFileError(path, 'is damaged, or isn’t a file of workspace keys')
  return content as unknown as KeysFile
}

/**
 * Updates the file with the keys of this database, and keeps those of other copies of it. A key destroyed in either place is
 * destroyed in the result. Throws StoreError `wrong-key` if the file's encryption key isn't in the keyring and the file contains
 * keys that the database lacks.
 */
export async function updateKeysFile(
  path: string,
  ring: Keyring,
  lineage: string,
  rows: readonly WorkspaceKeyRow[],
): Promise<void> {
  const existing = await readKeysFile(path, ring).catch(async (error: unknown) => {
    if (!(error instanceof StoreError) || error.kind !== 'wrong-key') throw error
    const rowsById = new Map(rows.map((row) => [row.id, row]))
    const isMissingHere = ({ id, sealed_key }: WorkspaceKeyRow): boolean =>
      !rowsById.has(id) || (sealed_key === null && rowsById.get(id)?.sealed_key !== null)
    if ((await readUnverified(path))?.keys.some(isMissingHere)) throw error
    return undefined
  })
  if (existing !== undefined && existing.lineage !== lineage)
    throw unusableFileError(path, 'belongs to another database')
  const root = createSealer(ring)
  const keys = [...mergeKeys(rows, existing?.keys ?? []).values()].map((row) => resealKey(root, row) ?? row)
  await writeKeysFile(path, ring, lineage, keys)
}

/** Replaces the content of the file with these keys. It is complete and on disk when this returns. */
async function writeKeysFile(
  path: string,
  ring: Keyring,
  lineage: string,
  keys: readonly WorkspaceKeyRow[],
): Promise<void> {
  await writeFileAtomically(path, formatKeysFile(ring, lineage, keys)).catch((error: unknown) => {
    throw new StoreError('bad-value', `The file ${path} ${describeWriteError(error)}.`, { cause: error })
  })
}

/** The text of a file with these keys, sealed with the primary encryption key. */
export function formatKeysFile(
  { primary }: Keyring,
  lineage: string,
  keys: readonly WorkspaceKeyRow[],
): string {
  const content = { format: FORMAT, version: VERSION, lineage, keys, sealedBy: primary.id } as const
  const file: KeysFile = { ...content, seal: makeSeal(primary, content) }
  return `${JSON.stringify(file)}\n`
}

function makeSeal(
  key: Key,
  { lineage, keys, sealedBy }: Pick<KeysFile, 'lineage' | 'keys' | 'sealedBy'>,
): string {
  const signedText = JSON.stringify([FORMAT, VERSION, lineage, keys.map(keyCells), sealedBy])
  return createHmac('sha256', deriveBytes(key, 'workspace keys')).update(signedText).digest('hex')
}

const keyCells = (row: WorkspaceKeyRow) => [
  row.id,
  row.workspace_id,
  row.purpose,
  row.sealed_key,
  row.made_at,
  row.retired_at,
  row.dropped_at,
]

export const unusableFileError = (path: string, how: string): StoreError =>
  new StoreError('unusable', `The file ${path} ${how}. Use this database’s newest file of workspace keys.`)

/** The keys that open a backup, by ID, and which of them are destroyed. */
export interface BackupKeys {
  /**
   * Throws StoreError `wrong-key` for a key that the encryption keys can't open, and `unusable` for an old key that was
   * destroyed after it was replaced. The workspace still exists, so a restore that skips the workspace's rows would lose data.
   */
  get(id: string): Key | 'destroyed' | undefined
}

export function createBackupKeys(root: TextOpener, rows: ReadonlyMap<string, WorkspaceKeyRow>): BackupKeys {
  const opened = new Map<string, Key | 'destroyed'>()
  return {
    get(id) {
      const row = rows.get(id)
      if (row === undefined) return undefined
      const key = opened.get(id) ?? openBackupKey(root, row)
      opened.set(id, key)
      return key
    },
  }
}

function openBackupKey(root: TextOpener, row: WorkspaceKeyRow): Key | 'destroyed' {
  if (row.sealed_key === null && row.dropped_at !== null) {
    throw new StoreError(
      'unusable',
      `This backup can no longer be decrypted. It was made before the workspace keys were replaced, and the old keys were destroyed on ${row.dropped_at.slice(0, 10)}. Use a newer backup.`,
    )
  }
  const opened = tryOpen(() => openWorkspaceKey(root, row))
  if ('value' in opened) return opened.value ?? 'destroyed'
  const message = `The key of workspace ${row.workspace_id} can’t be decrypted. ${opened.sealError.message}`
  throw new StoreError('wrong-key', message, { cause: opened.sealError })
}

/** Merges the lists. A key that is destroyed or retired in any of them is also destroyed or retired in the result. */
export function mergeKeys(
  ...sources: readonly (readonly WorkspaceKeyRow[])[]
): ReadonlyMap<string, WorkspaceKeyRow> {
  const merged = new Map<string, WorkspaceKeyRow>()
  for (const row of sources.flat()) {
    const previous = merged.get(row.id)
    const newest =
      previous === undefined || (previous.sealed_key !== null && row.sealed_key === null) ? row : previous
    merged.set(row.id, { ...newest, retired_at: previous?.retired_at ?? row.retired_at })
  }
  return merged
}

/**
 * Returns the configured keys. Without any, returns those in the key files next to a SQLite database, including retired ones.
 * Undefined if there are none.
 */
export async function readKeyring(
  configuredKeys: string | undefined,
  databaseFile: string | undefined,
): Promise<Keyring | undefined> {
  if (configuredKeys !== undefined && configuredKeys.trim() !== '') return parseKeys(configuredKeys)
  return databaseFile === undefined ? undefined : readAllKeys(keyFilePath(databaseFile))
}

/** Lists every encryption key that may have sealed something in the database. Throws StoreError `wrong-key` if the keyring lacks one. */
export async function listNeededKeys(
  rows: Kysely<Schema>,
  ring: Keyring,
  { file }: Pick<Database, 'file'>,
): Promise<KeyName[]> {
  const checks = await rows.selectFrom('key_check').selectAll().orderBy('key_id').execute()
  for (const check of checks) verifyKey(ring, check, file && keyFilePath(file))
  const needed = [...ring.byId.values()].filter(
    (key) => key === ring.primary || checks.some(({ key_id }) => key_id === key.id),
  )
  return needed.map((key) => ({ id: key.id, fingerprint: keyFingerprint(key) }))
}

/** How to provide missing keys if the keys aren't in a key file. */
export const ADD_KEYS = 'Add them to the configured keys.'

/** Throws StoreError `wrong-key`, naming every key of the backup that isn't in the keyring. `fix` says how to provide them. */
export function requireKeys(ring: Keyring | undefined, needed: readonly KeyName[], fix: string): Keyring {
  const missing = needed.filter(({ id, fingerprint }) => {
    const key = ring?.byId.get(id)
    return key === undefined || keyFingerprint(key) !== fingerprint
  })
  if (ring !== undefined && missing.length === 0) return ring
  const names = missing.map(({ id, fingerprint }) => `"${id}" (fingerprint ${fingerprint})`).join(', ')
  throw new StoreError(
    'wrong-key',
    `This backup needs the encryption ${missing.length === 1 ? 'key' : 'keys'} ${names}, which ${missing.length === 1 ? 'isn’t' : 'aren’t'} among the given keys. ${fix}`,
  )
}
