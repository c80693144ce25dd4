import { createHash } from 'node:crypto'
import type { Cell, StoredTable } from '../database/tables.ts'
import { type BackupEnd, type BackupHeader, type BackupRow, readHeader } from './format.ts'
import { damaged, lineOf, linesOf } from './read-lines.ts'

/** What comes out of a backup, in this order: its header once, rows, its end once. */
export type BackupPart =
  | { readonly header: BackupHeader }
  | { readonly table: StoredTable; readonly rows: readonly Cell[][] }
  | { readonly end: BackupEnd }

const ROWS_AT_ONCE = 200

/**
 * Reads a backup in constant memory. Rows are given before the hash at its end is known, so whoever keeps them must let go of
 * them when this throws: StoreError `unusable` for a file that is damaged, cut short or no backup.
 */
export async function* readBackup(path: string): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256')
  const collected = createCollector(path)
  let header: BackupHeader | undefined
  let end: BackupEnd | undefined
  for await (const line of linesOf(path)) {
    if (end !== undefined) throw damaged(path, 'something stands behind its end')
    const value: BackupHeader | BackupRow | BackupEnd = header ? lineOf(line, path) : readHeader(line, path)
    if ('end' in value) {
      end = value
      continue
    }
    hash.update(`${line}\n`)
    if ('format' in value) {
      header = value
      yield { header }
    } else if (header) yield* collected.add(header, value)
  }
  if (header === undefined || end === undefined) throw damaged(path, 'it is cut short')
  yield* collected.rest(header)
  if (hash.digest('hex') !== end.sha256) throw damaged(path, 'its content does not have the hash at its end')
  const { rows } = end
  const miscounted = header.tables.find(({ name }) => collected.count(name) !== (rows[name] ?? 0))
  if (miscounted) throw damaged(path, `rows of ${miscounted.name} are missing`)
  yield { end }
}

/** Counts rows, and gives those of one table some at a time. */
function createCollector(path: string) {
  const counts = new Map<string, number>()
  let held: { place: number; rows: Cell[][] } = { place: -1, rows: [] }
  function* rest({ tables }: BackupHeader): Generator<BackupPart> {
    const table = tables[held.place]
    if (table !== undefined && held.rows.length > 0) yield { table, rows: held.rows }
    held = { place: -1, rows: [] }
  }
  return {
    rest,
    *add(header: BackupHeader, [place, ...cells]: BackupRow): Generator<BackupPart> {
      const table = header.tables[place]
      if (table?.columns.length !== cells.length) throw damaged(path, 'a row fits no table')
      counts.set(table.name, (counts.get(table.name) ?? 0) + 1)
      if (place !== held.place || held.rows.length >= ROWS_AT_ONCE) yield* rest(header)
      held.place = place
      held.rows.push(cells)
    },
    count: (table: string): number => counts.get(table) ?? 0,
  }
}
