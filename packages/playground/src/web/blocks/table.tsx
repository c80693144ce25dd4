import type { BlockOf, Cell } from '../block-kit.ts'
import { RichTextView } from './rich-text.tsx'
import { alignClass, TableView } from './table-view.tsx'

export function CellView({ cell }: { cell: Cell }) {
  return cell.type === 'rich_text' ? <RichTextView block={cell} /> : cell.text
}

/** A `table` block. Its first row contains the headings. */
export function TableBlock({ block }: { block: BlockOf<'table'> }) {
  const [head = [], ...rows] = block.rows
  const cellClass = (column: number) => {
    const settings = block.column_settings?.[column]
    return alignClass(settings?.align, settings?.is_wrapped)
  }
  return (
    <TableView
      label="Table"
      head={head}
      rows={rows}
      cellClass={cellClass}
      renderCell={(cell) => <CellView cell={cell} />}
    />
  )
}
