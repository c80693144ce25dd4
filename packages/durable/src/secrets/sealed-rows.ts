import { yieldWhenDue } from '@signalman/runtime'
import type { Transaction } from 'kysely'
import type { Table } from '../database/declared-table.ts'
import { jsonText } from '../database/json.ts'
import type { Schema } from '../database/schema.ts'
import { type SealError, type Sealer, tryOpen } from './seal.ts'

/** Runs work in a transaction. */
export type InTransaction = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

/**
 * Reads and writes rows of a table with one sealed JSON column. `toPlain` picks the unsealed columns, and `parseContent` parses the
 * opened text.
 */
export function sealedRows<Row extends object, Plain extends object, Content extends object>(
  { name, sealed: [declared] }: Table,
  { toPlain, parseContent }: { toPlain: (row: Row) => Plain; parseContent: (text: string) => Content },
) {
  if (!declared) throw new Error(`The table ${name} has no sealed column.`)
  const { column, identityColumns } = declared
  const readCell = (row: Row, columnName: string): string => String(Reflect.get(row, columnName))

  async function readAll(
    sealer: Sealer,
    found: readonly Row[],
  ): Promise<((Plain & Content) | (Plain & { readonly sealError: SealError }))[]> {
    const read: Awaited<ReturnType<typeof readAll>> = []
    for (const row of found) {
      // A long text takes milliseconds to open.
      await yieldWhenDue()
      const identity = [name, ...identityColumns.map((columnName) => readCell(row, columnName))] as const
      const opened = tryOpen(() => parseContent(sealer.open(readCell(row, column), identity)))
      read.push({ ...toPlain(row), ...('value' in opened ? opened.value : opened) })
    }
    return read
  }

  return {
    /** Opens rows. A row that can't be opened has only its plain columns and the error. */
    readAll,
    /** Throws SealError if the row doesn't open. */
    async readOne(sealer: Sealer, row: Row | undefined): Promise<(Plain & Content) | undefined> {
      const [read] = row ? await readAll(sealer, [row]) : []
      if (read && 'sealError' in read) throw read.sealError
      return read
    },
    /** Seals JSON for the row with this identity. Throws StoreError if the value isn't JSON. */
    seal: (value: unknown, identity: readonly string[], sealer: Pick<Sealer, 'seal'>): string =>
      sealer.seal(jsonText(value, `The sealed content of ${name}`), [name, ...identity]),
  }
}

/** Whether the row's content was decrypted. Filters out rows with a `sealError`. */
export const isDecrypted = <Row extends object>(
  row: Row,
): row is Exclude<Row, { readonly sealError: SealError }> => !('sealError' in row)
