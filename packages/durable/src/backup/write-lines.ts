import { yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Table } from '../database/declared-table.ts'
import { type OwnedRow, rowsOf } from '../database/rows-of-table.ts'
import type { Schema } from '../database/schema.ts'
import type { Key } from '../secrets/keys.ts'
import {
  type BackupHeader,
  type BackupRow,
  createLineWriter,
  pieces,
  type SealedRows,
  sealRows,
} from './format.ts'
import { ownerOf, purposeOf } from './owners.ts'
import type { RowsKeyOf } from './rows-keys.ts'

/** The lines of a backup in order: every row of the tables in the header. A workspace's rows are sealed with its key. */
export async function* backupLines(
  rows: Kysely<Schema>,
  tables: readonly Table[],
  header: BackupHeader,
  keys: { primary: Key; ofWorkspace: RowsKeyOf },
  onRows: (more: number) => void,
): AsyncGenerator<string> {
  const counts: Record<string, number> = {}
  const writer = createLineWriter()
  const packed = packer(tables, header, keys.ofWorkspace)
  yield writer.line(header)
  for (const [place, table] of header.tables.entries()) {
    const owner = ownerOf(tables, table)
    for await (const page of rowsOf(rows, table, owner)) {
      let text = ''
      for await (const line of packed(place, table.name, page)) text += writer.line(line)
      yield text
      counts[table.name] = (counts[table.name] ?? 0) + page.length
      onRows(page.length)
      await yieldWhenDue()
    }
  }
  yield writer.end(counts, keys.primary)
}

/** Counts the lines, so that each is sealed for its own place. */
function packer(tables: readonly Table[], header: BackupHeader, keyOf: RowsKeyOf) {
  const keys = { content: new Map<string, Key>(), rows: new Map<string, Key>() }
  let line = 1
  return async function* (
    table: number,
    name: string,
    page: readonly OwnedRow[],
  ): AsyncGenerator<BackupRow | SealedRows> {
    for (const [workspaceId, own] of Map.groupBy(page, ({ owner }) => owner)) {
      const cells = own.map(({ cells }) => cells)
      if (workspaceId === '') {
        line += cells.length
        for (const row of cells) yield [table, ...row]
        continue
      }
      const purpose = purposeOf(tables, name)
      const known = keys[purpose]
      const key = known.get(workspaceId) ?? (await keyOf(workspaceId, purpose))
      known.set(workspaceId, key)
      for (const piece of pieces(cells)) {
        const sealed = sealRows(key, piece, { backup: header.id, table: name, line })
        line += 1
        yield { table, key: key.id, rows: piece.length, sealed }
      }
    }
  }
}
