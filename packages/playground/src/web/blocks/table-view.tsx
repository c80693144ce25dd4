import type { ReactNode } from 'react'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
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
    <Scrolling isGroup className="table-scroll" label={label}>
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
    </Scrolling>
  )
}

export function alignClass(align: Align | undefined, wrapped = false): string {
  return `align-${align ?? 'left'}${wrapped ? ' wrapped' : ''}`
}
