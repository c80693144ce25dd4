import type { ActionsBlockElement, Button, KnownBlock, RichTextBlock } from '@slack/types'
import { commandButton, foldable, overflow } from './command-buttons.ts'
import { actions, context } from './layout.ts'
import { LIMITS } from './limits.ts'
import { blocksText, type Message, message } from './message.ts'
import { type Line, lineElements, lines, lineText, paragraph, richText, words } from './rich-text.ts'
import { mrkdwn } from './text.ts'

/** A label and its value. Left out if it has no value. */
export type Fact = readonly [label: string, value: Line | undefined]

/** Everything else is behind **Details** or `···`. */
const MAX_FACTS = 8
export const MOST_CONTROLS = 5

export interface Card {
  /** The first line and the notification: what, how bad, and since when. Its first part is bold. */
  answer: Line
  /** Decisions that are needed, one line each, above all facts. */
  notes?: readonly Line[]
  /** In two columns. */
  facts?: readonly Fact[]
  /** The line that shows all facts. With it, a card has at most eight, and a **Details** button if there are more. */
  details?: string | undefined
  /** Tables, rows, pictures, below the facts. */
  body?: readonly (KnownBlock | KnownBlock[])[]
  /** The same in blocks that every workspace accepts, if `body` has newer ones. */
  classicBody?: () => readonly (KnownBlock | KnownBlock[])[]
  /** The text of `body`, for `text`, if its blocks don't contain it. */
  bodyText?: readonly Line[]
  /** Small print at the foot. */
  small?: readonly Line[]
  /** Actions, the next one first: a button there is drawn as the primary one. */
  controls?: readonly ActionsBlockElement[]
  /** More actions, behind `···`. */
  more?: readonly Button[]
}

/** A message that starts with its answer. `text` contains everything that its blocks say. */
export function card(parts: Card): Message {
  const { answer, notes = [], body = [], classicBody, bodyText, small = [], controls = [], more = [] } = parts
  const entries = present(parts.facts ?? [])
  const isCut = parts.details !== undefined && entries.length > MAX_FACTS
  const shown = isCut ? entries.slice(0, MAX_FACTS) : entries
  const behind = isCut && parts.details ? [commandButton('Details', parts.details), ...more] : more
  const blocks = (within: readonly (KnownBlock | KnownBlock[])[]): (KnownBlock | KnownBlock[])[] => [
    richText(paragraph(...answerElements(answer))),
    notes.length > 0 ? [lines(...notes)] : [],
    columns(shown),
    ...within,
    actions(...controlRow(controls, behind)),
    small.length > 0 ? [context(...small.map((line) => mrkdwn(lineText(line), LIMITS.fieldText)))] : [],
  ]
  const says = [
    lineText(answer),
    ...notes.map(lineText),
    ...shown.map(([label, value]) => `${label}: ${lineText(value)}`),
    ...(bodyText?.map(lineText) ?? [blocksText((classicBody?.() ?? body).flat())]),
    ...small.map(lineText),
  ]
  const text = says.filter((line) => line.trim() !== '').join('\n')
  return {
    ...message(text, ...blocks(body)),
    ...(classicBody && { classic: () => message(text, ...blocks(classicBody())).blocks }),
  }
}

/** In two columns; a fact too long for one gets a line of its own below. */
function columns(entries: readonly PresentFact[]): KnownBlock[] {
  const [long, short] = [entries.filter(isLong), entries.filter((fact) => !isLong(fact))]
  const fields = short.map(([label, value]) =>
    // Slack doesn't link a URL here, and people copy it.
    mrkdwn(`*${lineText(label)}*\n${lineText(value).replaceAll(':\u2060//', '://')}`, LIMITS.fieldText),
  )
  const blocks: KnownBlock[] = []
  for (let start = 0; start < fields.length; start += LIMITS.fields)
    blocks.push({ type: 'section', fields: fields.slice(start, start + LIMITS.fields) })
  return [...blocks, ...(long.length > 0 ? [facts(long)] : [])]
}

const COLUMN = 200
const isLong = ([, value]: PresentFact): boolean => lineText(value).length > COLUMN

/** `Label: value` lines in one block, in order, for windows and for facts too long for columns. */
export const facts = (entries: readonly Fact[]): RichTextBlock =>
  lines(
    ...present(entries).map(
      ([label, value]): Line => [words(`${label}: `, { bold: true }), ...lineElements(value)],
    ),
  )

/** At most five: the first button is the primary one, and what doesn't fit moves behind `···`, last ones first. */
export function controlRow(
  controls: readonly ActionsBlockElement[],
  more: readonly Button[] = [],
): ActionsBlockElement[] {
  const shown = [...controls, ...more.filter((one) => !foldable(one))]
  const folded = more.filter(foldable)
  const isFull = () => shown.length + (folded.length > 0 ? 1 : 0) > MOST_CONTROLS
  while (isFull() && folded.length < LIMITS.overflowOptions) {
    const last = shown.findLastIndex((one, at) => at > 0 && one.type === 'button' && foldable(one))
    if (last === -1) break
    folded.unshift(...(shown.splice(last, 1) as Button[]))
  }
  const [first, ...others] = shown
  return [
    ...(first ? [primary(first)] : []),
    ...others,
    ...overflow(folded.slice(0, LIMITS.overflowOptions)),
    ...folded.slice(LIMITS.overflowOptions),
  ]
}

const primary = (one: ActionsBlockElement): ActionsBlockElement =>
  one.type === 'button' && !one.style && foldable(one) ? { ...one, style: 'primary' } : one

const answerElements = (answer: Line) =>
  lineElements(answer).map((one, at) =>
    at === 0 && one.type === 'text' ? { ...one, style: { bold: true, ...one.style } } : one,
  )

type PresentFact = readonly [label: string, value: Line]

const present = (entries: readonly Fact[]) =>
  entries.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
