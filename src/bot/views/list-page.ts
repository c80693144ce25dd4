import { card, commandButton, context, type Message, paragraph, richText, words } from '@signalman/slack'
import type { ActionsBlockElement, Button, KnownBlock, RichTextElement } from '@slack/types'
import { badgeOf, type Environment } from '../../domain/environment.ts'
import { grouped } from '../../domain/wording.ts'

/** A page of a list, the same for every list: which part of what is shown, its rows, what leads on, and as of when. */
interface ListPage {
  /** What there is, with its number where that is known: `53 health checks`. */
  readonly title: string
  readonly environment: Environment
  /** Which of them are shown, and what narrows them; or that there are none, and what to do. */
  readonly place: string | readonly [string, ...RichTextElement[]]
  readonly rows: readonly KnownBlock[]
  /** The rows where the workspace takes tables. */
  readonly table?: KnownBlock | undefined
  /** What is left out, and why. */
  readonly notes?: readonly string[]
  /** The lines of the pages before and behind this one; undefined where there are none. */
  readonly previous: string | undefined
  readonly next: string | undefined
  /** The line of this page, where **Refresh** is a help. */
  readonly here?: string
  /** A menu of the rows, in front of the buttons that turn pages. */
  readonly open?: readonly ActionsBlockElement[]
  /** Menus and buttons behind those that turn pages. */
  readonly controls: readonly ActionsBlockElement[]
  /** What can be done too, behind `···`. */
  readonly more?: readonly Button[]
  readonly now: Date
}

/** `page 2 of 4`; nothing where there is no other page. */
export const pageWords = (page: number, pages: number): string | false =>
  pages > 1 && `page ${grouped(page)} of ${grouped(pages)}`

/** Part of a list that is there whole: the page that was asked for, or the last one where there are fewer. */
export function slicePage<T>(all: readonly T[], asked: number, size: number) {
  const pages = Math.max(1, Math.ceil(all.length / size))
  const page = Math.min(Math.max(1, asked), pages)
  const start = (page - 1) * size
  return { items: all.slice(start, start + size), start, page, pages, total: all.length }
}

/** The lines of the pages before and behind one. */
export const besidePage = (
  { page, pages }: { page: number; pages: number },
  line: (page: number) => string,
): Pick<ListPage, 'previous' | 'next'> => ({
  previous: page > 1 ? line(page - 1) : undefined,
  next: page < pages ? line(page + 1) : undefined,
})

/** The buttons that turn pages. */
export const pageButtons = ({ previous, next }: Pick<ListPage, 'previous' | 'next'>): Button[] => [
  ...(previous === undefined ? [] : [commandButton('Previous', previous, { inPlace: true })]),
  ...(next === undefined ? [] : [commandButton('Next', next, { inPlace: true })]),
]

export function listPage(page: ListPage): Message {
  const { place, rows, table, notes = [], previous, next, here, open = [], controls, more = [], now } = page
  // What is plain text stands in one element with the title: a reader of the blocks finds one line.
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

/** Rich text of one block, with room for what stands around it. */
const CHUNK = 2800

/** Lines as blocks, as many as fit into each; what is behind `most` blocks is left, and counted. */
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
