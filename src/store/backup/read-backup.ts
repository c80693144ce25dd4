import { createHash } from 'node:crypto'
import type { Cell, StoredTable } from '../database/tables.ts'
import type { Key } from '../secrets/keys.ts'
import { SealError } from '../secrets/seal.ts'
import { type BackupEnd, type BackupHeader, type BackupRow, readHeader } from './format.ts'
import type { KnownKeys } from './known-keys.ts'
import { type Content, damaged, keyMissing, lineOf, readLines } from './read-lines.ts'
import { type LinePlace, openRows, type SealedRows } from './sealed-rows.ts'

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
