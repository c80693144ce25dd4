import { useMemo, useState } from 'react'
import type { BlockOf } from '../block-kit.ts'
import { Button } from '../button.tsx'
import { cellText, nextSort, type Sort, sortRows } from './sorting.ts'
import { CellView } from './table.tsx'
import { alignClass, TableView } from './table-view.tsx'

const PAGE_SIZE = 10
const ARROWS = { ascending: '↑', descending: '↓', none: '↕' }

function sortDirection(sort: Sort | undefined, column: number): keyof typeof ARROWS {
  if (sort?.column !== column) return 'none'
  return sort.descending ? 'descending' : 'ascending'
}

function Pager({
  page,
  pageCount,
  onPage,
}: {
  page: number
  pageCount: number
  onPage: (page: number) => void
}) {
  return (
    <div className="pager soft">
      <Button aria-label="Previous rows" disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <span aria-live="polite">
        Page {page + 1} of {pageCount}
      </span>
      <Button aria-label="Next rows" disabled={page === pageCount - 1} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </div>
  )
}

/** A `data_table` block. The page sorts and paginates it without sending anything to the app. */
export function DataTableBlock({ block }: { block: BlockOf<'data_table'> }) {
  const [sort, setSort] = useState<Sort>()
  const [requestedPage, setPage] = useState(0)
  const [head = []] = block.rows
  const sorted = useMemo(() => sortRows(block.rows.slice(1), sort), [block, sort])
  const size = block.page_size ?? PAGE_SIZE
  const pageCount = Math.max(1, Math.ceil(sorted.length / size))
  const page = Math.min(requestedPage, pageCount - 1)
  return (
    <div className="data-table">
      <TableView
        label={block.caption}
        caption={block.caption}
        head={head}
        rows={sorted.slice(page * size, (page + 1) * size)}
        rowHeadingColumn={block.row_header_column_index}
        cellClass={(_, cell) => alignClass(cell?.type === 'raw_number' ? 'right' : 'left')}
        renderCell={(cell) => <CellView cell={cell} />}
        toText={cellText}
        columnSort={(column) => sortDirection(sort, column)}
        renderHeading={(cell, column) => (
          <Button className="sort" onClick={() => setSort(nextSort(sort, column))}>
            <CellView cell={cell} />
            <span aria-hidden="true" className="soft">
              {ARROWS[sortDirection(sort, column)]}
            </span>
          </Button>
        )}
      />
      {pageCount > 1 && <Pager page={page} pageCount={pageCount} onPage={setPage} />}
    </div>
  )
}
