import type { ReactNode } from 'react'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
import type { Align } from '../text/nodes.ts'

/** A table with a heading row. A table that doesn't fit can be scrolled by mouse or keyboard. */
export function TableView<T>({
  label,
  caption,
  head,
  rows,
  rowHeadingColumn,
  cellClass,
  renderCell,
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
}) {
  return (
    <div className="table-part">
      <div className="table-frame">
        <Scrolling isGroup className="table-scroll" label={label}>
          <table>
            {caption !== undefined && <caption>{caption}</caption>}
            <thead>
              <tr>
                <Each of={head}>
                  {(cell, column) => (
                    <th scope="col" className={cellClass(column, rows[0]?.[column])}>
                      {renderCell(cell)}
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
    </div>
  )
}

export function alignClass(align: Align | undefined, wrapped = false): string {
  return `align-${align ?? 'left'}${wrapped ? ' wrapped' : ''}`
}
