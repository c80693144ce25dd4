import type { ReactNode } from 'react'
import { Each } from '../each.ts'
import type { Align } from '../text/nodes.ts'

/** A table with a heading row; wide ones scroll, by keyboard too. */
export function TableView<T>({
  label,
  head,
  rows,
  classOf,
  draw,
}: {
  label: string
  head: readonly T[]
  rows: readonly (readonly T[])[]
  classOf: (column: number) => string
  draw: (cell: T) => ReactNode
}) {
  return (
    // A group, not a region: a conversation may hold many tables, and none of them is a landmark.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="table-scroll" role="group" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <Each of={head}>
              {(cell, column) => (
                <th scope="col" className={classOf(column)}>
                  {draw(cell)}
                </th>
              )}
            </Each>
          </tr>
        </thead>
        <tbody>
          <Each of={rows}>
            {(row) => (
              <tr>
                <Each of={row}>{(cell, column) => <td className={classOf(column)}>{draw(cell)}</td>}</Each>
              </tr>
            )}
          </Each>
        </tbody>
      </table>
    </div>
  )
}

export function alignClass(align: Align | undefined, wrapped = false): string {
  return `align-${align ?? 'left'}${wrapped ? ' wrapped' : ''}`
}
