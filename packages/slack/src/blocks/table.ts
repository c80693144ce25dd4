import type { TableBlock } from '@slack/types'
import { LIMITS } from './limits.ts'
import { date, paragraph, richText } from './rich-text.ts'
import { clip, oneLine } from './text.ts'

type Cell = TableBlock['rows'][number][number]

const cell = (content: string | Date): Cell =>
  typeof content === 'string'
    ? { type: 'raw_text', text: clip(oneLine(content), LIMITS.tableCell) || '–' }
    : richText(paragraph(date(content)))

/**
 * A table with a header row. Cells contain untrusted text, which is never parsed, or dates, which Slack shows in the reader's time
 * zone. At most 99 rows below the header, 20 columns, and 10,000 characters in total. Further rows are left out, so the caller
 * must say how many there are. A message can have one table. Columns wrap, except for `unwrapped`: short ones, such as a status,
 * which is hard to read in pieces.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | Date)[])[],
  { unwrapped = [] }: { unwrapped?: readonly string[] } = {},
): TableBlock {
  const columns = head.slice(0, LIMITS.tableColumns)
  const toCells = (row: readonly (string | Date)[]) => columns.map((_, column) => cell(row[column] ?? ''))
  const tableRows = [toCells(head)]
  let size = textLength(tableRows[0] ?? [])
  for (const row of rows.slice(0, LIMITS.tableRows - 1)) {
    const cells = toCells(row)
    size += textLength(cells)
    if (size > LIMITS.tableText) break
    tableRows.push(cells)
  }
  return {
    type: 'table',
    rows: tableRows,
    column_settings: columns.map((name) => ({ is_wrapped: !unwrapped.includes(name) })),
  }
}

/** A date has the length of its fallback text. */
const DATE_LENGTH = 20
const textLength = (cells: readonly Cell[]): number =>
  cells.reduce((sum, cell) => sum + (cell.type === 'raw_text' ? cell.text.length : DATE_LENGTH), 0)
