// This folder has the parts of messages that several features share.

import { card, commandButton, context, type Message } from '@signalman/slack'
import type { ActionsBlockElement, Button, KnownBlock, RichTextElement } from '@slack/types'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { formatCount } from '../../domain/wording.ts'

/** A page of any list. */
interface ListPage {
  /** The kind of rows, with their total if known: `53 health checks`. */
  readonly title: string
  readonly environment: Environment
  /** The page's position in the list and the filters; for an empty list, what to do. */
  readonly subtitle: string | readonly [string, ...RichTextElement[]]
  readonly rows: readonly KnownBlock[]
  /** Says what isn't shown, and why. */
  readonly notes?: readonly string[]
  /** The lines of the previous and next page; undefined if there is none. */
  readonly previous: string | undefined
  readonly next: string | undefined
  /** The line of this page, if it has a **Refresh** button. */
  readonly refreshLine?: string
  /** A menu of the rows, before the page buttons. */
  readonly openMenu?: readonly ActionsBlockElement[]
  /** Menus and buttons after the page buttons. */
  readonly controls: readonly ActionsBlockElement[]
  /** Further actions, behind `···`. */
  readonly moreControls?: readonly Button[]
  readonly now: Date
}

/** `page 2 of 4`; empty if there is only one page. */
export const describePage = (page: number, pages: number): string | false =>
  pages > 1 && `page ${formatCount(page)} of ${formatCount(pages)}`

/** Where a page of a list begins: the requested page, or the last one if there are fewer. */
export function findPage(total: number, requested: number, size: number) {
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(Math.max(1, requested), pages)
  return { start: (page - 1) * size, page, pages, total }
}

/** Returns one page of a complete list. */
export function slicePage<T>(all: readonly T[], requested: number, size: number) {
  const page = findPage(all.length, requested, size)
  return { items: all.slice(page.start, page.start + size), ...page }
}

/** Returns one page of a complete list whose rows differ in length: as many as a message can show, at most `size`. */
export function fitPage<T>(
  all: readonly T[],
  requested: number,
  { size, max, length }: { size: number; max: number; length: (row: T) => number },
) {
  const pages: T[][] = [[]]
  let used = 0
  for (const row of all) {
    const rowLength = length(row)
    const last = pages.at(-1) ?? []
    if (last.length === size || (last.length > 0 && used + rowLength > max)) {
      pages.push([row])
      used = rowLength
    } else {
      last.push(row)
      used += rowLength
    }
  }
  const page = Math.min(Math.max(1, requested), pages.length)
  return { items: pages[page - 1] ?? [], page, pages: pages.length }
}

/** The lines of the previous and next page. */
export const neighborPages = (
  { page, pages }: { page: number; pages: number },
  line: (page: number) => string,
): Pick<ListPage, 'previous' | 'next'> => ({
  previous: page > 1 ? line(page - 1) : undefined,
  next: page < pages ? line(page + 1) : undefined,
})

export const pageButtons = ({ previous, next }: Pick<ListPage, 'previous' | 'next'>): Button[] => [
  ...(previous === undefined ? [] : [commandButton('Previous', previous, { inPlace: true })]),
  ...(next === undefined ? [] : [commandButton('Next', next, { inPlace: true })]),
]

export function listPage(page: ListPage): Message {
  const {
    subtitle,
    rows,
    notes = [],
    previous,
    next,
    refreshLine,
    openMenu = [],
    controls,
    moreControls = [],
    now,
  } = page
  // Plain text shares one element with the title, so that they are one line in the blocks.
  const [plainSubtitle, ...subtitleElements] = typeof subtitle === 'string' ? [subtitle] : subtitle
  return card({
    headline: [
      `${page.title}${environmentSuffix(page.environment)}${plainSubtitle && ` · ${plainSubtitle}`}`,
      ...subtitleElements,
    ],
    body: [...rows, ...notes.map((note) => context(note))],
    controls: [
      ...openMenu,
      ...pageButtons({ previous, next }),
      ...controls,
      ...(refreshLine === undefined ? [] : [commandButton('Refresh', refreshLine, { inPlace: true })]),
    ],
    moreControls,
    smallPrint: [['As of ', now]],
  })
}
