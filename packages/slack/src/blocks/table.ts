import type { TableBlock } from '@slack/types'
import { LIMITS } from './limits.ts'
import { clip, oneLine } from './text.ts'

const cell = (text: string) => ({
  type: 'raw_text' as const,
  text: clip(oneLine(text), LIMITS.tableCell) || '–',
})

/**
 * A table under its head; cells are text from anywhere, never parsed. At most 99 rows under the head, 20 columns and
 * 10,000 characters in all: rows past that are left out, so the caller says how many there are. A message takes one.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): TableBlock {
  const columns = head.slice(0, LIMITS.tableColumns)
  const cellsOf = (row: readonly string[]) => columns.map((_, column) => cell(row[column] ?? ''))
  const kept = [cellsOf(head)]
  let size = textLength(kept[0] ?? [])
  for (const row of rows.slice(0, LIMITS.tableRows - 1)) {
    const cells = cellsOf(row)
    size += textLength(cells)
    if (size > LIMITS.tableText) break
    kept.push(cells)
  }
  return { type: 'table', rows: kept, column_settings: columns.map(() => ({ is_wrapped: true })) }
}

const textLength = (cells: readonly { text: string }[]): number =>
  cells.reduce((sum, { text }) => sum + text.length, 0)
