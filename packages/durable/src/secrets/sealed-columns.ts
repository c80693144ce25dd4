import { PROOF, type SealedColumn } from '../database/declared-table.ts'
import type { Identity } from './seal.ts'

/** What the text in a row's sealed column is sealed for. In a proof, an empty cell is not an empty text. */
export function identityIn(
  { column, label, named }: SealedColumn,
  row: Readonly<Record<string, string | number | null | undefined>>,
): Identity {
  const cells = named.map((name) => row[name] ?? null)
  return [label, ...cells.map((cell) => (column === PROOF ? JSON.stringify(cell) : String(cell ?? '')))]
}
