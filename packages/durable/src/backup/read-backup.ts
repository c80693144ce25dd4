import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode, StoreError } from '../database/errors.ts'
import { parseObject } from '../database/json.ts'
import type { Cell, StoredTable } from '../database/stored-tables.ts'
import type { Key, Keyring } from '../secrets/keys.ts'
import { SealError } from '../secrets/seal.ts'
import {
  type BackupEnd,
  type BackupHeader,
  type BackupRow,
  damagedBackupError,
  type LinePosition,
  makeSeal,
  openRows,
  readHeader,
  type SealedRows,
} from './format.ts'
import type { BackupKeys } from './keys-file.ts'

/** A line between the header and the end. */
type Content = BackupRow | SealedRows

/** The parts of a backup in this order: header, rows, end. */
export type BackupPart =
  | { readonly header: BackupHeader }
  | { readonly table: StoredTable; readonly rows: readonly Cell[][] }
  /** Rows that can't be read, because the key with this ID was destroyed or the workspace keys weren't given. */
  | { readonly table: StoredTable; readonly unreadCount: number; readonly key: string }
  | { readonly end: BackupEnd }

const ROWS_PER_BATCH = 200

/**
 * Reads a backup in constant memory. With `keys`, it opens the workspaces' rows. Rows are yielded before the hash at the end is
 * verified, so discard them when this throws: StoreError `unusable` if the file is damaged, incomplete, or not a backup, and
 * `missing-workspace-keys` if a key is missing and wasn't destroyed.
 */
export async function* readBackup(path: string, keys?: BackupKeys): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256')
  const collector = createCollector(path, keys)
  let line = 0
  let header: BackupHeader | undefined
  let end: BackupEnd | undefined
  for await (const text of readLines(path)) {
    if (end !== undefined) throw damagedBackupError(path, 'there is data after its last line')
    const value: BackupHeader | Content | BackupEnd = header ? parseLine(text, path) : readHeader(text, path)
    if ('end' in value) {
      end = value
      continue
    }
    hash.update(`${text}\n`)
    if ('format' in value) {
      header = value
      yield { header }
    } else if (header) yield* collector.add(header, value, line)
    line += 1
  }
  if (header === undefined || end === undefined) throw damagedBackupError(path, 'it is truncated')
  yield* collector.flush(header)
  if (hash.digest('hex') !== end.sha256) throw damagedBackupError(path, 'its content doesn’t match its hash')
  const { rows } = end
  const miscounted = header.tables.find(({ name }) => collector.count(name) !== (rows[name] ?? 0))
  if (miscounted) throw damagedBackupError(path, `rows of ${miscounted.name} are missing`)
  yield { end }
}

/** Counts rows and groups rows of the same table into batches. */
function createCollector(path: string, keys: BackupKeys | undefined) {
  const counts = new Map<string, number>()
  let batch: { table: number; rows: Cell[][] } = { table: -1, rows: [] }
  function* flush({ tables }: BackupHeader): Generator<BackupPart> {
    const table = tables[batch.table]
    if (table !== undefined && batch.rows.length > 0) yield { table, rows: batch.rows }
    batch = { table: -1, rows: [] }
  }
  function* addRow(header: BackupHeader, [index, ...cells]: BackupRow): Generator<BackupPart> {
    const table = header.tables[index]
    if (table?.columns.length !== cells.length)
      throw damagedBackupError(path, 'a row doesn’t match its table')
    counts.set(table.name, (counts.get(table.name) ?? 0) + 1)
    if (index !== batch.table || batch.rows.length >= ROWS_PER_BATCH) yield* flush(header)
    batch.table = index
    batch.rows.push(cells)
  }
  function* addSealed(header: BackupHeader, sealed: SealedRows, line: number): Generator<BackupPart> {
    const table = header.tables[sealed.table]
    if (table === undefined) throw damagedBackupError(path, 'rows belong to an unknown table')
    counts.set(table.name, (counts.get(table.name) ?? 0) + sealed.rows)
    yield* flush(header)
    const key = keys === undefined ? 'destroyed' : keys.get(sealed.key)
    if (key === undefined) throw missingKeyError(path)
    const position = { backup: header.id, table: table.name, line }
    if (key === 'destroyed') yield { table, unreadCount: sealed.rows, key: sealed.key }
    else yield { table, rows: decryptRows(path, table, key, sealed, position) }
  }
  return {
    flush,
    add: (header: BackupHeader, content: Content, line: number): Generator<BackupPart> =>
      'sealed' in content ? addSealed(header, content, line) : addRow(header, content),
    count: (table: string): number => counts.get(table) ?? 0,
  }
}

function decryptRows(
  path: string,
  { columns }: StoredTable,
  key: Key,
  { rows, sealed }: SealedRows,
  position: LinePosition,
): Cell[][] {
  try {
    const found = openRows(key, sealed, position)
    if (found.length === rows && found.every((cells) => cells.length === columns.length)) return found
  } catch (error) {
    if (!(error instanceof SealError)) throw error
  }
  throw damagedBackupError(path, 'rows of a workspace can’t be decrypted')
}

/** Throws StoreError `unusable` if the backup was changed without the encryption keys. */
export function requireValidSeal(ring: Keyring, { sealedBy, sha256, seal }: BackupEnd, path: string): void {
  const key = ring.byId.get(sealedBy)
  if (key !== undefined && makeSeal(key, sha256) === seal) return
  throw new StoreError(
    'unusable',
    `The seal of the backup ${path} is invalid: someone without the encryption keys changed the backup. Use another backup.`,
  )
}

/** Yields the lines of a backup. `node:readline` would also split at U+2028, which JSON doesn't escape. */
async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const gunzip = createGunzip()
  // The loop below gets the same error.
  pipeline(file, gunzip, () => undefined)
  let rest: Buffer[] = []
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
        rest = []
        from = at + 1
      }
      rest.push(chunk.subarray(from))
    }
  } catch (error) {
    throw explainReadError(error, path)
  }
  if (rest.some(({ length }) => length > 0)) throw damagedBackupError(path, 'its last line is truncated')
}

function explainReadError(error: unknown, path: string): unknown {
  const code = errorCode(error)
  if (code === 'ENOENT') return new StoreError('bad-value', `The file ${path} doesn’t exist.`)
  if (code === 'EACCES' || code === 'EISDIR')
    return new StoreError('bad-value', `The file ${path} can’t be read (${code}).`, { cause: error })
  return code.startsWith('Z_') ? damagedBackupError(path, 'it can’t be decompressed') : error
}

function parseLine(line: string, path: string): Content | BackupEnd {
  const value = parseObject(line)
  if (!value || !(Array.isArray(value) || 'sealed' in value || 'end' in value))
    throw damagedBackupError(path, 'it contains a malformed line')
  // The hash at the end proves the remaining types. It's verified before anything is stored.
  return value as unknown as Content | BackupEnd
}

export const missingKeyError = (path: string): StoreError =>
  new StoreError(
    'missing-workspace-keys',
    `The backup ${path} contains a workspace whose key is missing. Put the newest file with workspace keys next to the backup, or pass its path.`,
  )
