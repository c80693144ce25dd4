import { actions, commandButton, context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'

/** One page of a long list; pages count from 1. */
interface DetailsPage<T> {
  items: readonly T[]
  page: number
  pages: number
  /** The number of its first item in the list, from 1; 0 when the list is empty. */
  first: number
  total: number
}

/** The page that was asked for, or the last one when there are fewer. */
export function pageOf<T>(all: readonly T[], asked: number, size: number): DetailsPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / size))
  const page = Math.min(Math.max(1, asked), pages)
  const start = (page - 1) * size
  return {
    items: all.slice(start, start + size),
    page,
    pages,
    first: all.length === 0 ? 0 : start + 1,
    total: all.length,
  }
}

/** Which items these are, and buttons for other pages; nothing when there is only one. `line` makes a page's command. */
export function pagingBlocks(
  { items, page, pages, first, total }: DetailsPage<unknown>,
  noun: string,
  line: (page: number) => string,
): KnownBlock[] {
  if (pages === 1) return []
  const to = (label: string, target: number) => commandButton(label, line(target), { inPlace: true })
  return [
    context(`${noun} ${first} to ${first + items.length - 1} of ${total}, page ${page} of ${pages}`),
    ...actions(
      ...(page > 2 ? [to('First', 1)] : []),
      ...(page > 1 ? [to('Previous', page - 1)] : []),
      ...(page < pages ? [to('Next', page + 1)] : []),
      ...(page < pages - 1 ? [to('Last', pages)] : []),
    ),
  ]
}
