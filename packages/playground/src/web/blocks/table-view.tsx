import { type ReactNode, useRef } from 'react'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
import type { Align } from '../text/nodes.ts'
import { type Overflow, useOverflow } from '../use-overflow.ts'

/** The note below a table that doesn't fit: how many rows it has, and where more can be scrolled into view. */
function overflowText({ isTaller: rows, isWider: columns }: Overflow, count: number): string {
  const directions = [rows && 'rows', columns && 'columns'].filter(Boolean).join(' and ')
  return `${count} ${count === 1 ? 'row' : 'rows'}. Scroll to see more ${directions}.`
}

/** A table with a heading row. A table that doesn't fit can be scrolled by mouse or keyboard, and a note below it says so. */
export function TableView<T>({
  label,
  caption,
  head,
  rows,
  rowHeadingColumn,
  cellClass,
  renderCell,
  renderHeading = renderCell,
  columnSort,
}: {
  label: string
  caption?: string
  head: readonly T[]
  rows: readonly (readonly T[])[]
  /** The index of the column whose cells are row headings. */
  rowHeadingColumn?: number | undefined
  /** The class of a cell. For a heading, `cell` is the cell below it, so that both are aligned the same way. */
  cellClass: (column: number, cell?: T) => string
  renderCell: (cell: T) => ReactNode
  /** Renders a cell of the heading row, if that differs from other cells. */
  renderHeading?: (cell: T, column: number) => ReactNode
  /** The sort direction that a column's heading shows. */
  columnSort?: (column: number) => 'ascending' | 'descending' | 'none'
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const overflow = useOverflow(scroller)
  const edges = [overflow.hasMoreBelow && 'more-below', overflow.hasMoreRight && 'more-right']
    .filter(Boolean)
    .join(' ')
  return (
    <div className="table-part">
      <div className={`table-frame ${edges}`}>
        <Scrolling ref={scroller} isGroup className="table-scroll" label={label}>
          <table>
            {caption !== undefined && <caption>{caption}</caption>}
            <thead>
              <tr>
                <Each of={head}>
                  {(cell, column) => (
                    <th
                      scope="col"
                      aria-sort={columnSort?.(column)}
                      className={cellClass(column, rows[0]?.[column])}
                    >
                      {renderHeading(cell, column)}
                    </th>
                  )}
                </Each>
              </tr>
            </thead>
            <tbody>
              <Each of={rows}>
                {(row) => (
                  <tr>
                    <Each of={row}>
                      {(cell, column) => {
                        const props = { className: cellClass(column, cell), children: renderCell(cell) }
                        return column === rowHeadingColumn ? <th scope="row" {...props} /> : <td {...props} />
                      }}
                    </Each>
                  </tr>
                )}
              </Each>
            </tbody>
          </table>
        </Scrolling>
      </div>
      {(overflow.isTaller || overflow.isWider) && (
        <p className="table-more soft">{overflowText(overflow, rows.length)}</p>
      )}
    </div>
  )
}

export function alignClass(align: Align | undefined, wrapped = false): string {
  return `align-${align ?? 'left'}${wrapped ? ' wrapped' : ''}`
}
