import type { KnownBlock } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context } from '../../../blocks/layout.ts'
import { UserError } from '../../../errors.ts'

/** One page of a long list; pages count from 1. */
export interface DetailsPage<T> {
  items: readonly T[]
  page: number
  pages: number
  /** Place of the first item in the whole list, from 1; 0 when there is none. */
  first: number
  total: number
}

/** The page asked for, or the last one where there are fewer. */
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

/** The number behind `--page`; 1 without it. Throws UserError when it is none. */
export function readPage(typed: string | true | undefined): number {
  if (typed === undefined) return 1
  const page = typeof typed === 'string' && /^\d{1,6}$/.test(typed) ? Number(typed) : 0
  if (page === 0) throw new UserError('`--page` takes a number from 1.')
  return page
}

/** Where in the list this is, and the ways on; nothing under a list of one page. `line` is a page's command line. */
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
