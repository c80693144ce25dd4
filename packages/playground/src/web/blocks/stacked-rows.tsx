import type { ReactNode } from 'react'
import { Each } from '../each.ts'

/** Texts of cells that say nothing. */
const EMPTY = new Set(['', '-', '–', '—'])

/** The rows of a table as a list. The first cells are an item's title. The others follow, each with its column's heading. */
export function StackedRows<T>({
  caption,
  head,
  rows,
  rowHeadingColumn = 1,
  renderCell,
  renderHeading,
  toText,
}: {
  caption?: string | undefined
  head: readonly T[]
  rows: readonly (readonly T[])[]
  /** The last column of the title. */
  rowHeadingColumn?: number | undefined
  renderCell: (cell: T) => ReactNode
  /** Renders the headings above the list, if they can be pressed. */
  renderHeading?: ((cell: T, column: number) => ReactNode) | undefined
  toText?: ((cell: T) => string) | undefined
}) {
  const saysNothing = (cell: T): boolean => toText !== undefined && EMPTY.has(toText(cell).trim())
  return (
    <div className="stacked">
      {caption !== undefined && <p className="stacked-caption">{caption}</p>}
      {renderHeading && (
        <div className="stacked-head">
          <Each of={head}>{(cell, column) => <span>{renderHeading(cell, column)}</span>}</Each>
        </div>
      )}
      <ul>
        <Each of={rows}>
          {(row) => (
            <li>
              <div className="stacked-title">
                <Each of={row.slice(0, rowHeadingColumn + 1)}>{(cell) => <div>{renderCell(cell)}</div>}</Each>
              </div>
              <Each of={head.slice(rowHeadingColumn + 1)}>
                {(heading, index) => {
                  const cell = row[rowHeadingColumn + 1 + index]
                  if (cell === undefined || saysNothing(cell)) return null
                  return (
                    <div className="stacked-cell">
                      <div className="soft">{renderCell(heading)}</div>
                      <div>{renderCell(cell)}</div>
                    </div>
                  )
                }}
              </Each>
            </li>
          )}
        </Each>
      </ul>
    </div>
  )
}
