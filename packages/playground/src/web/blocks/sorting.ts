import type { Cell, RichLeaf } from '../wire.ts'

export interface Sort {
  column: number
  descending: boolean
}

function leafText(cell: Cell): string {
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
  const [a, b] = [left ? leafText(left) : '', right ? leafText(right) : '']
  return a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })
}

/** Sorts the rows. Equal ones keep their order. Numbers are compared as numbers, text as people sort it. */
export function sortRows(rows: readonly Cell[][], sort: Sort | undefined): Cell[][] {
  if (!sort) return [...rows]
  const factor = sort.descending ? -1 : 1
  return rows.toSorted((left, right) => factor * compare(left[sort.column], right[sort.column]))
}

/** The next order when a heading is pressed: ascending, descending, and back to the original one. */
export function nextSort(sort: Sort | undefined, column: number): Sort | undefined {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? undefined : { column, descending: true }
}
