import type { SuggestedCommand } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  commandMenu,
  context,
  controlRow,
  header,
  joinLines,
  LIMITS,
  type Line,
  lines,
  lineText,
  literal,
  type Message,
  message,
  mrkdwn,
  section,
  textElement,
} from '@signalman/slack'
import type { Button, KnownBlock, StaticSelect } from '@slack/types'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { ThreatCard } from './card.ts'

/** What a reply shows in addition to its cards. */
interface AnswerExtras {
  environment: Environment
  notices?: readonly string[]
}

/** A button of a card, by what it runs. */
interface CardButton extends SuggestedCommand {
  style?: 'primary'
}

interface SingleCard {
  card: ThreatCard
  /** The most likely next step first. Buttons beyond the fifth are behind `···`. */
  buttons: readonly CardButton[]
}

/** The card of one event. Its screenshot is under Details, because a card may be shared. */
export function cardView({ card, buttons }: SingleCard, extras: AnswerExtras): Message {
  const { verdict, footer } = card
  const [domain = card.id, ...facts] = card.lines
  const headline = `${domain}${environmentSuffix(extras.environment)}`
  const text = [
    `${headline} · ${verdict}`,
    ...facts,
    lineText(footer).includes(card.id) ? footer : joinLines([footer, card.id], ' · '),
    ...(extras.notices ?? []),
  ]
    .map(lineText)
    .join('\n')
  return message(
    text,
    header(headline),
    section([verdict, ...facts].join('\n')),
    context(mrkdwn(lineText(footer), LIMITS.fieldText)),
    actions(...controlRow(toButtons(buttons))),
    buildNotes(extras),
  )
}

/** The cards of several events, four lines each, with a menu that opens one. */
export function cardsView(cards: readonly ThreatCard[], extras: AnswerExtras): Message {
  const badge = environmentSuffix(extras.environment)
  const cardLines = cards.map(({ lines: [domain = '', ...facts], verdict, footer }): Line[] => [
    textElement(`${domain}${badge}`, { bold: true }),
    verdict,
    ...facts.slice(0, 1),
    footer,
  ])
  return message(
    [
      ...cardLines.map((singleCardLines) => singleCardLines.map(lineText).join('\n')),
      ...(extras.notices ?? []).map(literal),
    ].join('\n\n'),
    ...cardLines.map((singleCardLines) => lines(...singleCardLines)),
    cards.length === 0 ? [] : actions(openMenu(cards)),
    buildNotes(extras),
  )
}

const openMenu = (cards: readonly ThreatCard[]): StaticSelect =>
  commandMenu(
    'Open a card…',
    cards.map((card) => ({
      label: clip(card.lines[0] ?? card.id, 75),
      value: writeEventCommand('', card.id),
    })),
    { inPlace: false },
  )

const toButtons = (commands: readonly CardButton[]): Button[] =>
  commands.map(({ label, line, style }) => commandButton(label, line, style && { style }))

const buildNotes = ({ notices = [] }: AnswerExtras): KnownBlock[] => notices.map((notice) => context(notice))
