import { LIMITS } from '../../../blocks/limits.ts'
import { literal } from '../../../blocks/text.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { Section, ThreatCard } from './card.ts'
import { lineText } from './lines.ts'

/** A long list takes at most this part of its card's room, so that what stands behind it is said too. */
const LIST_SHARE = 0.3
const MORE_ON_CARD = 'The rest is on the card.'

/** Everything the cards say, as a message's `text`: whole lines only, each card within its share of the room. */
export function cardsText(
  cards: readonly ThreatCard[],
  remarks: readonly string[],
  environment: Environment,
): string {
  const said = remarks.map(literal)
  const room = LIMITS.messageText - said.join('\n').length
  const share = Math.floor(room / Math.max(1, cards.length)) - 2
  return [...cards.map((card) => cardText(card, environment, share)), said.join('\n')]
    .filter(Boolean)
    .join('\n\n')
}

function cardText(card: ThreatCard, environment: Environment, max: number): string {
  const title = literal(card.title) + (environment === 'ote' ? ' (OTE)' : '')
  return wholeLines(
    [
      title,
      ...card.main.map(lineText),
      ...card.sections.flatMap((section) => sectionText(section, max * LIST_SHARE)),
      ...card.notes.map(literal),
    ],
    max,
  )
}

function sectionText({ heading, lines, left, noun, style }: Section, max: number): string[] {
  // A text's own lines stand apart: none of them can pass for a line of the card.
  const all = lines.map((line) => (style === 'quotes' ? indented(lineText(line)) : lineText(line)))
  const shown = style === 'fields' ? all : within(all, max)
  const more = left + all.length - shown.length
  return [`${heading}:`, ...shown, ...(more > 0 ? [`and ${more} more ${noun}${more === 1 ? '' : 's'}`] : [])]
}

const indented = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`

function wholeLines(lines: readonly string[], max: number): string {
  const all = lines.join('\n')
  if (all.length <= max) return all
  return [...within(lines, max - MORE_ON_CARD.length), MORE_ON_CARD].join('\n')
}

/** The first lines that fit into `max` characters together. */
function within(lines: readonly string[], max: number): string[] {
  let size = 0
  const end = lines.findIndex((line) => {
    size += line.length + 1
    return size > max
  })
  return end === -1 ? [...lines] : lines.slice(0, end)
}
