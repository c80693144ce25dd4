import {
  actions,
  commandButton,
  context,
  header,
  literal,
  type Message,
  message,
  mrkdwn,
  when,
} from '@signalman/slack'
import type { Button, ContextBlock, KnownBlock } from '@slack/types'
import { badgeOf, type Environment } from '../../domain/environment.ts'
import { grouped } from '../../domain/wording.ts'

/** A page of a list, the same for every list: which part of what is shown, its rows, what leads on, and as of when. */
export interface ListPage {
  readonly title: string
  readonly environment: Environment
  /** How many there are, which of them are shown, and what narrows them; or that there are none, and what to do. */
  readonly place: string
  /** Each row as a block, with buttons, and as plain text. */
  readonly rows: readonly { readonly text: string; readonly blocks: readonly KnownBlock[] }[]
  /** What is left out, and why. */
  readonly notes?: readonly string[]
  /** The lines of the pages before and behind this one; undefined where there are none. */
  readonly previous: string | undefined
  readonly next: string | undefined
  /** The line of this page. */
  readonly here: string
  /** Menus and buttons beside those that turn pages. */
  readonly controls: Parameters<typeof actions>
  readonly now: Date
}

export function listPage(page: ListPage): Message {
  const { environment, place, rows, notes = [], previous, next, here, controls, now } = page
  const title = `${page.title}${badgeOf(environment)}`
  return message(
    literal([`${title}: ${place}`, ...rows.map(({ text }) => text), ...notes].join('\n')),
    header(title),
    context(place),
    rows.flatMap(({ blocks }) => [...blocks]),
    notes.map((note) => context(note)),
    actions(
      ...(previous === undefined ? [] : [commandButton('Previous', previous, { inPlace: true })]),
      ...(next === undefined ? [] : [commandButton('Next', next, { inPlace: true })]),
      ...controls,
      commandButton('Refresh', here, { inPlace: true }),
    ),
    asOf(environment, now),
  )
}

/** When what is shown was so, on a card that can be old: shared, edited, cached. */
export const asOf = (environment: Environment, now: Date): ContextBlock =>
  context(...(environment === 'ote' ? ['OTE test environment'] : []), mrkdwn(`As of ${when(now)}`, 200))

/**
 * How a list ends that has more than is shown: `15 of 38` for its first line, and the ways to the rest: the line of the next page,
 * or the line that hands out all of it as a file. No list ends without a way on.
 */
export function listEnd({
  shown,
  total,
  next,
  file,
}: { shown: number; total: number } & (
  | { next: string; file?: string | undefined }
  | { next?: undefined; file: string }
)): { words: string; controls: Button[] } {
  if (shown >= total) return { words: grouped(total), controls: [] }
  return {
    words: `${grouped(shown)} of ${grouped(total)}`,
    controls: [
      ...(next === undefined ? [] : [commandButton('Next', next, { inPlace: true })]),
      ...(file === undefined ? [] : [commandButton(`All ${grouped(total)} as a file`, file)]),
    ],
  }
}
