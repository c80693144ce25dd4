import type { ActionsBlockElement, Button, KnownBlock, RichTextBlock } from '@slack/types'
import { isFoldable, overflow } from './command-buttons.ts'
import { actions, context } from './layout.ts'
import { LIMITS } from './limits.ts'
import { blocksText, type Message, message } from './message.ts'
import { type Line, lineElements, lines, lineText, textElement } from './rich-text.ts'
import { mrkdwn } from './text.ts'

/** A label and its value. Left out if it has no value. */
export type Fact = readonly [label: string, value: Line | undefined]

/** How many controls fit on a card. The others are behind `···`. */
export const MAX_CONTROLS = 5

export interface Card {
  /** The first line, which is also the notification: what happened, how bad it is, and since when. Its first part is bold. */
  headline: Line
  /** Decisions that are needed, one line each, above the facts. */
  notes?: readonly Line[]
  /** In two columns. */
  facts?: readonly Fact[]
  /** Rows and pictures, below the facts. */
  body?: readonly (KnownBlock | KnownBlock[])[]
  /** Small print at the foot. */
  smallPrint?: readonly Line[]
  /** Buttons and menus, most likely action first. */
  controls?: readonly ActionsBlockElement[]
  /** More actions, behind `···`. */
  moreControls?: readonly Button[]
}

/** Builds a message with a headline, facts, and buttons. Its `text` contains everything that the blocks show. */
export function card(parts: Card): Message {
  const { headline, notes = [], body = [], smallPrint = [], controls = [], moreControls = [] } = parts
  const entries = (parts.facts ?? []).filter(hasValue)
  const footnotes = smallPrint.map(lineText)
  const head = [lines(boldStart(headline)), ...(notes.length > 0 ? [lines(...notes)] : [])]
  const blocks = [
    head,
    columns(entries),
    ...body,
    actions(...controlRow(controls, moreControls)),
    footnotes.length > 0 ? [context(...footnotes.map((line) => mrkdwn(line, LIMITS.fieldText)))] : [],
  ]
  const textLines = [
    blocksText(head),
    ...entries.map(([label, value]) => `${label}: ${lineText(value)}`),
    blocksText(body.flat()),
    ...footnotes,
  ]
  return message(textLines.filter(Boolean).join('\n'), ...blocks)
}

/** Shows the facts in two columns. Facts that are too long for a column follow below, one per line. */
function columns(entries: readonly PresentFact[]): KnownBlock[] {
  const { short = [], long = [] } = Object.groupBy(entries, ([, value]) =>
    lineText(value).length > MAX_COLUMN_LENGTH ? 'long' : 'short',
  )
  const fields = short.map(([label, value]) =>
    // `mrkdwn` keeps Slack from linking URLs, so the word joiner that `literal` adds isn't needed, and people would copy it.
    mrkdwn(`*${lineText(label)}*\n${lineText(value).replaceAll(':\u2060//', '://')}`, LIMITS.fieldText),
  )
  const blocks: KnownBlock[] = []
  for (let start = 0; start < fields.length; start += LIMITS.fields)
    blocks.push({ type: 'section', fields: fields.slice(start, start + LIMITS.fields) })
  return [...blocks, ...(long.length > 0 ? [facts(long)] : [])]
}

const MAX_COLUMN_LENGTH = 200

/** `Label: value` lines in one block, in order, for windows and for facts too long for columns. */
export const facts = (entries: readonly Fact[]): RichTextBlock =>
  lines(
    ...entries
      .filter(hasValue)
      .map(([label, value]) => [textElement(`${label}: `, { bold: true }), lineElements(value)]),
  )

/** A row of at most five controls. If there are too many, the last ones move behind `···`; the first and a primary one stay. */
export function controlRow(
  controls: readonly ActionsBlockElement[],
  more: readonly Button[] = [],
): ActionsBlockElement[] {
  const shown = [...controls, ...more.filter((button) => !isFoldable(button))]
  const folded = more.filter(isFoldable)
  while (shown.length + Math.min(folded.length, 1) > MAX_CONTROLS && folded.length < LIMITS.overflowOptions) {
    const last = shown.findLastIndex(
      (element, index) => index > 0 && element.type === 'button' && isFoldable(element),
    )
    if (last === -1) break
    folded.unshift(...(shown.splice(last, 1) as Button[]))
  }
  return [
    ...shown,
    ...overflow(folded.slice(0, LIMITS.overflowOptions)),
    ...folded.slice(LIMITS.overflowOptions),
  ]
}

function boldStart(line: Line): Line {
  const [first, ...others] = lineElements(line)
  return first?.type === 'text' ? [{ ...first, style: { bold: true, ...first.style } }, others] : line
}

type PresentFact = readonly [label: string, value: Line]

const hasValue = (fact: Fact): fact is PresentFact => fact[1] !== undefined
