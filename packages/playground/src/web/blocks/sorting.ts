import type { Cell, RichLeaf } from '../block-kit.ts'

export interface Sort {
  column: number
  descending: boolean
}

/** A cell's text, without its formatting. */
export function cellText(cell: Cell): string {
  if (cell.type !== 'rich_text') return cell.text
  return cell.elements
    .flatMap((part) =>
      part.type === 'rich_text_list' ? part.elements.flatMap((item) => item.elements) : part.elements,
    )
    .map((leaf: RichLeaf) => leaf.text ?? leaf.url ?? leaf.name ?? '')
    .join('')
}

function compare(left: Cell | undefined, right: Cell | undefined): number {
  if (left?.type === 'raw_number' && right?.type === 'raw_number') return left.value - right.value
  const [a, b] = [left ? cellText(left) : '', right ? cellText(right) : '']
  return a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })
}

/** Sorts rows by a column. Equal rows keep their order. Numbers are sorted numerically, text in natural order. */
export function sortRows(rows: readonly Cell[][], sort: Sort | undefined): Cell[][] {
  if (!sort) return [...rows]
  const factor = sort.descending ? -1 : 1
  return rows.toSorted((left, right) => factor * compare(left[sort.column], right[sort.column]))
}

/** The sort after a click on a column's heading: first ascending, then descending, then the original order. */
export function nextSort(sort: Sort | undefined, column: number): Sort | undefined {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? undefined : { column, descending: true }
}
