import { card, commandButton, context, type Message, paragraph, richText, words } from '@signalman/slack'
import type { ActionsBlockElement, Button, KnownBlock, RichTextElement } from '@slack/types'
import { badgeOf, type Environment } from '../../domain/environment.ts'
import { grouped } from '../../domain/wording.ts'

/**
 * A page of a list, in the same form for every list: its rows, which part of the list they are, where to go from here, and their
 * time.
 */
interface ListPage {
  /** What is listed, with the total if known: `53 health checks`. */
  readonly title: string
  readonly environment: Environment
  /** Which part is shown, and its filters; or that the list is empty, and what to do. */
  readonly place: string | readonly [string, ...RichTextElement[]]
  readonly rows: readonly KnownBlock[]
  /** The rows, in a workspace that accepts tables. */
  readonly table?: KnownBlock | undefined
  /** What is left out, and why. */
  readonly notes?: readonly string[]
  /** The lines of the previous and next page; undefined if there is none. */
  readonly previous: string | undefined
  readonly next: string | undefined
  /** The line of this page, if a **Refresh** button helps. */
  readonly here?: string
  /** A menu of the rows, before the page buttons. */
  readonly open?: readonly ActionsBlockElement[]
  /** Menus and buttons after the page buttons. */
  readonly controls: readonly ActionsBlockElement[]
  /** Further actions, behind `···`. */
  readonly more?: readonly Button[]
  readonly now: Date
}

/** `page 2 of 4`; empty if there is only one page. */
export const describePage = (page: number, pages: number): string | false =>
  pages > 1 && `page ${grouped(page)} of ${grouped(pages)}`

/** One page of a complete list: the requested page, or the last one if there are fewer. */
export function slicePage<T>(all: readonly T[], asked: number, size: number) {
  const pages = Math.max(1, Math.ceil(all.length / size))
  const page = Math.min(Math.max(1, asked), pages)
  const start = (page - 1) * size
  return { items: all.slice(start, start + size), start, page, pages, total: all.length }
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
  const { place, rows, table, notes = [], previous, next, here, open = [], controls, more = [], now } = page
  // Plain text shares one element with the title, because a test of the blocks reads it as one line.
  const [first, ...others] = typeof place === 'string' ? [place] : place
  const small = notes.map((note) => context(note))
  const classic = [...rows, ...small]
  return card({
    answer: [`${page.title}${badgeOf(page.environment)}${first && ` · ${first}`}`, ...others],
    body: table ? [table, ...small] : classic,
    ...(table && { classicBody: () => classic }),
    controls: [
      ...open,
      ...pageButtons({ previous, next }),
      ...controls,
      ...(here === undefined ? [] : [commandButton('Refresh', here, { inPlace: true })]),
    ],
    more,
    small: [['As of ', now]],
  })
}

/** One rich text block, with room for the text around it. */
const CHUNK = 2800

/** Puts as many lines as possible into each block. Lines beyond `most` blocks are left out and counted. */
export function lineBlocks(lines: readonly string[], most: number): { blocks: KnownBlock[]; left: number } {
  const chunks: string[][] = []
  let size = CHUNK
  let taken = 0
  for (const line of lines) {
    if (size + line.length + 1 > CHUNK) {
      if (chunks.length === most) break
      chunks.push([])
      size = 0
    }
    chunks.at(-1)?.push(line)
    size += line.length + 1
    taken += 1
  }
  const blocks = chunks.map((chunk) => richText(paragraph(words(chunk.join('\n')))))
  return { blocks, left: lines.length - taken }
}
