import { type ReactNode, useRef } from 'react'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
import type { Align } from '../text/nodes.ts'
import { NARROW, useMedia } from '../use-media.ts'
import { type Overflow, useOverflow } from '../use-overflow.ts'
import { StackedRows } from './stacked-rows.tsx'

const LIST_FORMAT = new Intl.ListFormat('en')
/** With more hidden columns than this, the note names only the first ones. */
const MAX_NAMED_COLUMNS = 4

function describeColumns(headings: readonly string[]): string {
  if (headings.length === 0) return 'more columns'
  if (headings.length <= MAX_NAMED_COLUMNS) return LIST_FORMAT.format(headings)
  const named = headings.slice(0, MAX_NAMED_COLUMNS - 1)
  return LIST_FORMAT.format([...named, `${headings.length - named.length} more columns`])
}

/** The note below a table that doesn't fit: how many rows it has, and what can be scrolled into view. */
function overflowText(
  { isTaller, isWider, columnsThatFit }: Overflow,
  rowCount: number,
  headings: readonly string[] | undefined,
): string {
  const hiddenColumns = headings?.slice(columnsThatFit) ?? []
  const hidden = [isTaller && 'more rows', isWider && describeColumns(hiddenColumns)]
    .filter(Boolean)
    .join(', and ')
  return `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}. Scroll to see ${hidden}.`
}

/** With more columns than this, a table doesn't fit on a phone. */
const MAX_NARROW_COLUMNS = 2

/**
 * A table with a heading row. A table that doesn't fit can be scrolled by mouse or keyboard, and a note below it says what is hidden. In
 * narrow windows, each row of a wide table is a list item instead, so that nobody has to scroll sideways.
 */
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
  toText,
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
  /** A cell's text. Without it, the note doesn't name columns, and list items show empty cells. */
  toText?: (cell: T) => string
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const overflow = useOverflow(scroller)
  const isNarrow = useMedia(NARROW)
  const edges = [overflow.hasMoreBelow && 'more-below', overflow.hasMoreRight && 'more-right']
    .filter(Boolean)
    .join(' ')
  return (
    <div className="table-part">
      <div className={`table-frame ${edges}`}>
        <Scrolling ref={scroller} isGroup className="table-scroll" label={label}>
          {isNarrow && head.length > MAX_NARROW_COLUMNS ? (
            <StackedRows
              {...{ caption, head, rows, rowHeadingColumn, renderCell, toText }}
              renderHeading={columnSort && renderHeading}
            />
          ) : (
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
                          return column === rowHeadingColumn ? (
                            <th scope="row" {...props} />
                          ) : (
                            <td {...props} />
                          )
                        }}
                      </Each>
                    </tr>
                  )}
                </Each>
              </tbody>
            </table>
          )}
        </Scrolling>
      </div>
      {(overflow.isTaller || overflow.isWider) && (
        <p className="table-more soft">{overflowText(overflow, rows.length, toText && head.map(toText))}</p>
      )}
    </div>
  )
}

export function alignClass(align: Align | undefined, wrapped = false): string {
  return `align-${align ?? 'left'}${wrapped ? ' wrapped' : ''}`
}
