import { useMemo, useState } from 'react'
import { Button } from '../button.tsx'
import { Each } from '../each.ts'
import { Scrolling } from '../scrolling.tsx'
import type { BlockOf, Cell } from '../wire.ts'
import { nextSort, type Sort, sortRows } from './sorting.ts'
import { CellView } from './table.tsx'

const PAGE_SIZE = 10
const ARROWS = { ascending: '↑', descending: '↓', none: '↕' }

function orderOf(sort: Sort | undefined, column: number): keyof typeof ARROWS {
  if (sort?.column !== column) return 'none'
  return sort.descending ? 'descending' : 'ascending'
}

function Heading({
  cell,
  order,
  numeric,
  onSort,
}: {
  cell: Cell
  order: keyof typeof ARROWS
  numeric: boolean
  onSort: () => void
}) {
  return (
    <th scope="col" aria-sort={order} className={numeric ? 'align-right' : 'align-left'}>
      <button type="button" className="sort" onClick={onSort}>
        <CellView cell={cell} />
        <span aria-hidden="true" className="sort-arrow">
          {ARROWS[order]}
        </span>
      </button>
    </th>
  )
}

function DataCell({ cell, heads }: { cell: Cell; heads: boolean }) {
  const align = cell.type === 'raw_number' ? 'align-right' : 'align-left'
  if (!heads) {
    return (
      <td className={align}>
        <CellView cell={cell} />
      </td>
    )
  }
  return (
    <th scope="row" className={align}>
      <CellView cell={cell} />
    </th>
  )
}

function Pager({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  return (
    <div className="pager">
      <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous rows
      </Button>
      <span aria-live="polite">
        Page {page + 1} of {pages}
      </span>
      <Button disabled={page === pages - 1} onClick={() => onPage(page + 1)}>
        Next rows
      </Button>
    </div>
  )
}

/** A `data_table` block: sorted and paged here, without asking the app. */
export function DataTableBlock({ block }: { block: BlockOf<'data_table'> }) {
  const [sort, setSort] = useState<Sort>()
  const [wanted, setPage] = useState(0)
  const [head = []] = block.rows
  const sorted = useMemo(() => sortRows(block.rows.slice(1), sort), [block, sort])
  const size = block.page_size ?? PAGE_SIZE
  const pages = Math.max(1, Math.ceil(sorted.length / size))
  const page = Math.min(wanted, pages - 1)
  return (
    <div className="data-table">
      <Scrolling isGroup className="table-scroll" label={block.caption}>
        <table>
          <caption>{block.caption}</caption>
          <thead>
            <tr>
              <Each of={head}>
                {(cell, column) => (
                  <Heading
                    cell={cell}
                    order={orderOf(sort, column)}
                    numeric={block.rows[1]?.[column]?.type === 'raw_number'}
                    onSort={() => setSort(nextSort(sort, column))}
                  />
                )}
              </Each>
            </tr>
          </thead>
          <tbody>
            <Each of={sorted.slice(page * size, (page + 1) * size)}>
              {(row) => (
                <tr>
                  <Each of={row}>
                    {(cell, column) => (
                      <DataCell cell={cell} heads={column === block.row_header_column_index} />
                    )}
                  </Each>
                </tr>
              )}
            </Each>
          </tbody>
        </table>
      </Scrolling>
      {pages > 1 && <Pager page={page} pages={pages} onPage={setPage} />}
    </div>
  )
}
