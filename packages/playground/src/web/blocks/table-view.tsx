import type { ReactNode } from 'react'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
import type { Align } from '../text/nodes.ts'

/** A table with a heading row. A table that doesn't fit can be scrolled by mouse or keyboard. */
export function TableView<T>({
  label,
  head,
  rows,
  cellClass,
  renderCell,
}: {
  label: string
  head: readonly T[]
  rows: readonly (readonly T[])[]
  /** The class of a cell. For a heading, `cell` is the cell below it, so that both are aligned the same way. */
  cellClass: (column: number, cell?: T) => string
  renderCell: (cell: T) => ReactNode
}) {
  return (
    <div className="table-part">
      <div className="table-frame">
        <Scrolling isGroup className="table-scroll" label={label}>
          <table>
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
                      {(cell, column) => <td className={cellClass(column, cell)}>{renderCell(cell)}</td>}
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
