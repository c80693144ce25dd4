import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode, StoreError } from '../database/errors.ts'
import { objectIn } from '../database/json.ts'
import type { Cell, StoredTable } from '../database/stored-tables.ts'
import type { Key, Keyring } from '../secrets/keys.ts'
import { SealError } from '../secrets/seal.ts'
import {
  type BackupEnd,
  type BackupHeader,
  type BackupRow,
  damaged,
  type LinePlace,
  makeSeal,
  openRows,
  readHeader,
  type SealedRows,
} from './format.ts'
import type { KnownKeys } from './keys-file.ts'

/** A line between the header and the end. */
type Content = BackupRow | SealedRows

/** The parts of a backup, in this order: its header, rows, its end. */
export type BackupPart =
  | { readonly header: BackupHeader }
  | { readonly table: StoredTable; readonly rows: readonly Cell[][] }
  /** Rows of a workspace whose key was destroyed (its id), or is not asked for. */
  | { readonly table: StoredTable; readonly unread: number; readonly key: string }
  | { readonly end: BackupEnd }

const ROWS_AT_ONCE = 200

/**
 * Reads a backup in constant memory; opens the rows of workspaces with `keys` where given. It yields rows before it has verified the
 * hash at the end, so a caller must discard them when this throws: StoreError `unusable` for a file that is damaged, cut short or
 * no backup, `wrong-key` for a missing key that was not destroyed.
 */
export async function* readBackup(path: string, keys?: KnownKeys): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256')
  const collected = createCollector(path, keys)
  let line = 0
  let header: BackupHeader | undefined
  let end: BackupEnd | undefined
  for await (const text of readLines(path)) {
    if (end !== undefined) throw damaged(path, 'something stands behind its end')
    const value: BackupHeader | Content | BackupEnd = header ? lineOf(text, path) : readHeader(text, path)
    if ('end' in value) {
      end = value
      continue
    }
    hash.update(`${text}\n`)
    if ('format' in value) {
      header = value
      yield { header }
    } else if (header) yield* collected.add(header, value, line)
    line += 1
  }
  if (header === undefined || end === undefined) throw damaged(path, 'it is cut short')
  yield* collected.rest(header)
  if (hash.digest('hex') !== end.sha256) throw damaged(path, 'its content does not have the hash at its end')
  const { rows } = end
  const miscounted = header.tables.find(({ name }) => collected.count(name) !== (rows[name] ?? 0))
  if (miscounted) throw damaged(path, `rows of ${miscounted.name} are missing`)
  yield { end }
}

/** Counts rows, and groups those of one table into batches. */
function createCollector(path: string, keys: KnownKeys | undefined) {
  const counts = new Map<string, number>()
  let held: { place: number; rows: Cell[][] } = { place: -1, rows: [] }
  function* rest({ tables }: BackupHeader): Generator<BackupPart> {
    const table = tables[held.place]
    if (table !== undefined && held.rows.length > 0) yield { table, rows: held.rows }
    held = { place: -1, rows: [] }
  }
  function* addRow(header: BackupHeader, [place, ...cells]: BackupRow): Generator<BackupPart> {
    const table = header.tables[place]
    if (table?.columns.length !== cells.length) throw damaged(path, 'a row fits no table')
    counts.set(table.name, (counts.get(table.name) ?? 0) + 1)
    if (place !== held.place || held.rows.length >= ROWS_AT_ONCE) yield* rest(header)
    held.place = place
    held.rows.push(cells)
  }
  function* addSealed(header: BackupHeader, sealed: SealedRows, line: number): Generator<BackupPart> {
    const table = header.tables[sealed.table]
    if (table === undefined) throw damaged(path, 'rows fit no table')
    counts.set(table.name, (counts.get(table.name) ?? 0) + sealed.rows)
    yield* rest(header)
    const key = keys === undefined ? 'destroyed' : keys.get(sealed.key)
    if (key === undefined) throw keyMissing(path)
    const place = { backup: header.id, table: table.name, line }
    if (key === 'destroyed') yield { table, unread: sealed.rows, key: sealed.key }
    else yield { table, rows: opened(path, table, key, sealed, place) }
  }
  return {
    rest,
    add: (header: BackupHeader, content: Content, line: number): Generator<BackupPart> =>
      'sealed' in content ? addSealed(header, content, line) : addRow(header, content),
    count: (table: string): number => counts.get(table) ?? 0,
  }
}

function opened(
  path: string,
  { columns }: StoredTable,
  key: Key,
  { rows, sealed }: SealedRows,
  place: LinePlace,
): Cell[][] {
  try {
    const found = openRows(key, sealed, place)
    if (found.length === rows && found.every((cells) => cells.length === columns.length)) return found
  } catch (error) {
    if (!(error instanceof SealError)) throw error
  }
  throw damaged(path, 'rows of a workspace do not open')
}

/** Throws StoreError `unusable` when the hash was written without the keys. */
export function refuseForged(ring: Keyring, { sealedBy, sha256, seal }: BackupEnd, path: string): void {
  const key = ring.byId.get(sealedBy)
  if (key !== undefined && makeSeal(key, sha256) === seal) return
  throw new StoreError(
    'unusable',
    `The backup ${path} was changed by somebody without the keys: its seal does not fit.`,
  )
}

/** The lines of a backup. Not by `node:readline`, which also ends a line at U+2028: JSON does not escape that. */
async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const unpacked = createGunzip()
  // A failure of the file also fails the reading below.
  pipeline(file, unpacked, () => undefined)
  let rest: Buffer[] = []
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
        rest = []
        from = at + 1
      }
      rest.push(chunk.subarray(from))
    }
  } catch (error) {
    throw explained(error, path)
  }
  if (rest.some(({ length }) => length > 0)) throw damaged(path, 'its last line is cut short')
}

function explained(error: unknown, path: string): unknown {
  const code = errorCode(error)
  if (code === 'ENOENT') return new StoreError('bad-value', `There is no file ${path}.`)
  if (code === 'EACCES' || code === 'EISDIR')
    return new StoreError('bad-value', `The file ${path} cannot be read (${code}).`, { cause: error })
  return code.startsWith('Z_') ? damaged(path, 'it does not unpack') : error
}

function lineOf(line: string, path: string): Content | BackupEnd {
  const value = objectIn(line)
  if (!value || !(Array.isArray(value) || 'sealed' in value || 'end' in value))
    throw damaged(path, 'a line of it cannot be read')
  // A right hash at the end proves the rest of these types; it is verified before anything is kept.
  return value as unknown as Content | BackupEnd
}

export const keyMissing = (path: string): StoreError =>
  new StoreError(
    'missing-workspace-keys',
    `The backup ${path} contains a workspace whose key is missing: put the newest file of workspace keys next to it, or name that file.`,
  )
