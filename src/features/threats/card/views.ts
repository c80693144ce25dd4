import type { KnownBlock } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, divider, header } from '../../../blocks/layout.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import { type Message, message, textSize } from '../../../blocks/message.ts'
import { paragraph, richText, words } from '../../../blocks/rich-text.ts'
import { table } from '../../../blocks/table.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { SuggestedCommand } from '../../../errors.ts'
import type { Section, ThreatCard } from './card.ts'
import { type CardLine, lineElements } from './lines.ts'
import { cardsText } from './text.ts'

/** The cards of one answer, in the order asked for, and what else there is to say about it. */
export function threatsView(
  cards: readonly ThreatCard[],
  remarks: readonly string[],
  environment: Environment,
  offers: readonly SuggestedCommand[] = [],
): Message {
  const badge = environment === 'ote' ? [context('OTE test environment')] : []
  const notes = [
    ...remarks.map((remark) => context(remark)),
    ...actions(...offers.map(({ label, line }) => commandButton(label, line))),
  ]
  const room = {
    characters: LIMITS.messageBlockText - textSize([badge, notes]),
    blocks: LIMITS.messageBlocks - badge.length - notes.length,
  }
  return message(cardsText(cards, remarks, environment), ...badge, ...packed(cards, room), ...notes)
}

/** Each card in full while there is room for it beside short forms of those behind it. */
function packed(cards: readonly ThreatCard[], room: { characters: number; blocks: number }): KnownBlock[] {
  const short = cards.map(shortCard)
  const blocks: KnownBlock[] = []
  for (const [index, card] of cards.entries()) {
    const behind = short.slice(index + 1).flat()
    const full = [...(index > 0 ? [divider()] : []), ...fullCard(card, index === 0)]
    const isWithin =
      textSize([blocks, full, behind]) <= room.characters &&
      blocks.length + full.length + behind.length <= room.blocks
    blocks.push(...(isWithin ? full : (short[index] ?? [])))
  }
  return blocks
}

/** A message takes one table, so all cards but the first list their records as lines. */
function fullCard(card: ThreatCard, withTable: boolean): KnownBlock[] {
  return [
    header(card.title),
    linesBlock(card.main),
    ...card.sections.flatMap((section) => sectionBlocks(section, withTable)),
    ...card.notes.map((note) => context(note)),
    ...actions(...card.actions.map((action) => cardOffer(card, action))),
  ]
}

/** A screen reader says which card a button belongs to: each card of an answer carries the same ones. */
const cardOffer = ({ title }: ThreatCard, { label, line }: SuggestedCommand) =>
  commandButton(label, line, { spoken: `${label}: ${title}` })

function sectionBlocks(section: Section, withTable: boolean): KnownBlock[] {
  const more = moreOf(section)
  const whole = section.whole ? actions(commandButton(section.whole.label, section.whole.line)) : []
  const rest = [...(more ? [context(more)] : []), ...whole]
  if (section.style === 'quotes') return [quotesBlock(section), ...rest]
  if (!withTable || !section.table) return [linesBlock(section.lines, section.heading), ...rest]
  return [linesBlock([], section.heading), table(section.table.head, section.table.rows), ...rest]
}

function shortCard(card: ThreatCard): KnownBlock[] {
  const headings = card.sections.map(({ heading }) => heading).join(', ')
  return [
    divider(),
    linesBlock(card.main.slice(0, SHORT_LINES), card.title),
    ...(headings ? [context(`The whole card also has: ${headings}.`)] : []),
    ...actions(
      cardOffer(card, { label: 'Whole card', line: `/threat ${card.id}` }),
      cardOffer(card, { label: 'Share to channel', line: `/threat ${card.id} --share` }),
    ),
  ]
}

const SHORT_LINES = 4

function linesBlock(lines: readonly CardLine[], heading?: string): KnownBlock {
  const head = heading ? [words(heading, { bold: true })] : []
  const body = lines.flatMap((line, index) => [
    ...(heading || index > 0 ? [words('\n')] : []),
    ...lineElements(line),
  ])
  return richText(paragraph(...head, ...body))
}

/** Each text in a frame of its own, so that no line of it can pass for a line of the card. */
function quotesBlock({ heading, lines }: Section): KnownBlock {
  const quotes = lines.map((line) => ({ type: 'rich_text_quote' as const, elements: lineElements(line) }))
  return richText(paragraph(words(heading, { bold: true })), ...quotes)
}

const moreOf = ({ left, noun }: Section): string | undefined =>
  left === 0 ? undefined : `and ${left} more ${noun}${left === 1 ? '' : 's'}`
