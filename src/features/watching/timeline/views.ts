import { card, clip, commandButton, type Line, lines, type Message, oneLine } from '@signalman/slack'
import { checkName } from '../../../bot/views/check-facts.ts'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import { describeEvent } from '../views/cards.ts'
import { formatTimelineCommand } from '../views/multi-check-cards.ts'
import {
  type CardHistory,
  listChecks,
  listTimelineEvents,
  type PostReason,
  type TimelineEvent,
} from './rules.ts'

const PAGE_SIZE = 40
const MAX_NAMES = 10
const MAX_NAME = 80

/** A page of a card's timeline. */
export function timelineView(history: CardHistory, requestedPage = 1): Message {
  const { card: cardState, outages } = history
  const events = listTimelineEvents(history)
  const { items, page, pages } = slicePage(events, requestedPage, PAGE_SIZE)
  const checks = listChecks(outages)
  const [firstCheck] = checks
  const name =
    firstCheck && checks.length === 1
      ? clip(oneLine(checkName(firstCheck)), MAX_NAME)
      : pluralize(checks.length, 'health check')
  const line = formatTimelineCommand(cardState.id)
  const pageText = describePage(page, pages)
  return card({
    headline: `Timeline of ${name}${environmentSuffix(cardState.environment)}: ${pluralize(events.length, 'event')}${pageText ? ` · ${pageText}` : ''}`,
    body: [lines(...items.map((event): Line => [event.at, `  ${describeEventLine(event)}`]))],
    controls: [
      ...pageButtons(neighborPages({ page, pages }, (to) => `${line} --page ${to}`)),
      commandButton('Share to channel', `${line} --page ${page} --share`),
      commandButton(
        'History',
        firstCheck && checks.length === 1 ? `/hc history ${quoted(firstCheck.uuid)}` : '/hc history',
      ),
    ],
  })
}

const POST_TEXTS: Readonly<Record<PostReason, string>> = {
  down: 'Posted',
  'still-down': 'Posted again: still down, and nobody was on it',
  'silence-over': 'Posted when the silence ended',
  resumed: 'Posted once Signalman could post in the channel again',
  reminder: 'Reminder posted',
}

function describeEventLine(event: TimelineEvent): string {
  switch (event.kind) {
    case 'posted':
      return `💬 ${POST_TEXTS[event.reason]}`
    case 'called':
      return `📣 Paged ${oneLine(event.names)}`
    case 'down-before': {
      const names = formatList(event.checks.map(checkName), MAX_NAMES, (name) =>
        clip(oneLine(name), MAX_NAME),
      )
      return `🔴 Already down when watching began: ${names}`
    }
    default:
      return describeEvent({ ...event, probe: event.probe && { ...event.probe, detail: '' } })
  }
}
