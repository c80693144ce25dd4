import type { SuggestedCommand } from '@signalman/runtime'
import {
  actions,
  commandButton,
  context,
  header,
  literal,
  type Message,
  message,
  onceOrPlain,
  paragraph,
  richText,
  section,
  words,
} from '@signalman/slack'
import type { KnownBlock, SectionBlockAccessory } from '@slack/types'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { type CardLine, lineElements, lineText } from '../details/lines.ts'
import type { ThreatCard } from './card.ts'

/** What an answer shows beside its cards. */
interface AnswerExtras {
  environment: Environment
  remarks?: readonly string[]
  offers?: readonly SuggestedCommand[]
}

/** One card with everything around it. */
interface WholeCard {
  card: ThreatCard
  /** The id of a file at Slack, and the text that a screen reader says of it. */
  picture?: { fileId: string; altText: string } | undefined
  /** At most five. */
  offers: readonly SuggestedCommand[]
  /** The WHOIS record with its personal data, when somebody asked for it. */
  whois?: readonly CardLine[] | undefined
}

const MOST_OFFERS = 5

/** The card of one event; without its picture when Slack does not take that. */
export function cardView(whole: WholeCard, extras: AnswerExtras): Message {
  const { card, whois = [] } = whole
  const { verdict, lines, foot } = card
  const badge = badgeOf(extras.environment)
  const text = [
    literal(`${verdict}${badge}`),
    ...lines.map(literal),
    ...whois.map(lineText),
    literal(foot),
    ...(extras.remarks ?? []).map(literal),
  ].join('\n')
  const blocks = (withPicture: boolean): KnownBlock[] => [
    header(`${verdict}${badge}`),
    section(lines.join('\n'), withPicture ? thumbnail(whole.picture) : undefined),
    ...whoisBlocks(whois),
    context(foot),
    ...actions(...whole.offers.slice(0, MOST_OFFERS).map(({ label, line }) => commandButton(label, line))),
    ...notes(extras),
  ]
  return whole.picture
    ? onceOrPlain(text, blocks(true), () => blocks(false))
    : message(text, ...blocks(false))
}

/** The cards of several events, each in four lines with a button that opens it in full. */
export function cardsView(cards: readonly ThreatCard[], extras: AnswerExtras): Message {
  const badge = badgeOf(extras.environment)
  const said = cards.map(({ verdict, lines, foot }) => [`${verdict}${badge}`, ...lines.slice(0, 2), foot])
  const text = [...said.map((lines) => lines.map(literal).join('\n')), ...(extras.remarks ?? []).map(literal)]
  return message(
    text.join('\n\n'),
    ...cards.map((card, index) =>
      section(
        said[index]?.join('\n') ?? '',
        commandButton('Whole card', `/threat ${card.id}`, {
          spoken: `Whole card: ${card.lines[0] ?? card.id}`,
        }),
      ),
    ),
    notes(extras),
  )
}

function thumbnail(picture: WholeCard['picture']): SectionBlockAccessory | undefined {
  return picture && { type: 'image', slack_file: { id: picture.fileId }, alt_text: picture.altText }
}

function whoisBlocks(lines: readonly CardLine[]): KnownBlock[] {
  if (lines.length === 0) return []
  const body = lines.flatMap((line) => [words('\n'), ...lineElements(line)])
  return [richText(paragraph(words('WHOIS', { bold: true }), ...body))]
}

const notes = ({ remarks = [], offers = [] }: AnswerExtras): KnownBlock[] => [
  ...remarks.map((remark) => context(remark)),
  ...actions(...offers.map(({ label, line }) => commandButton(label, line))),
]
