import { card, clip, commandButton, type Line, lines, type Message, oneLine } from '@signalman/slack'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { PostReason } from '../rules/incident.ts'
import { formatTimelineCommand } from '../views/cards.ts'
import { countChecks, incidentName } from '../views/words.ts'
import { type CardHistory, listTimelineEvents, type TimelineEvent } from './rules.ts'

const PAGE_SIZE = 40
const MAX_NAMES = 10
const MAX_NAME = 80

/** A page of a card's timeline. */
export function timelineView(history: CardHistory, requestedPage = 1): Message {
  const { card: cardState, incidents } = history
  const events = listTimelineEvents(history)
  const { items, page, pages } = slicePage(events, requestedPage, PAGE_SIZE)
  const checks = incidents.map(({ check }) => check)
  const [firstCheck] = checks
  const name =
    firstCheck && checks.length === 1
      ? clip(oneLine(incidentName(firstCheck)), MAX_NAME)
      : countChecks(incidents)
  const line = formatTimelineCommand(cardState.id)
  const pageText = describePage(page, pages)
  return card({
    headline: `Timeline of ${name}${environmentSuffix(cardState.environment)}: ${pluralize(events.length, 'event')}${pageText ? ` · ${pageText}` : ''}`,
    body: [
      lines(
        ...items.map(
          (event): Line => [event.at, `  ${describeBlindness(event) ?? describeEventLine(event)}`],
        ),
      ),
    ],
    controls: [
      ...pageButtons(neighborPages({ page, pages }, (to) => `${line} --page ${to}`)),
      commandButton('Share to channel', `${line} --page ${page} --share`),
      commandButton(
        'History',
        firstCheck?.uuid && checks.length === 1 ? `/hc history ${quoted(firstCheck.uuid)}` : '/hc history',
      ),
    ],
  })
}

const POST_TEXTS: Readonly<Record<PostReason | 'added', string>> = {
  down: 'Posted',
  added: 'Added to the latest message',
  'still-down': 'Posted again: down, and nobody was on it',
  'silence-over': 'Posted when the silence ended',
  resumed: 'Posted once Signalman could post in the channel again',
  reminder: 'Reminder posted',
  recovered: 'Recovery posted',
}

const END_TEXTS: Readonly<Record<string, string>> = {
  recovered: '⚪ Over: {} stayed up for ten minutes',
  installing: '🟡 {} is being installed again',
  deleted: '⚪ {} was deleted',
  unseen: '⚪ {} isn’t watched anymore',
}

/** What a poll found after a gap. It happened then or earlier. */
const NOTICED_TEXTS: Partial<Record<TimelineEvent['kind'], string>> = {
  down: '🔴 Noticed that {} is down',
  up: '🟢 Noticed that {} is up',
  over: '⚪ Noticed that {} was deleted',
}

/** What happened to the environment itself, which isn't a health check. */
const BLIND_TEXTS: Partial<Record<TimelineEvent['kind'], string>> = {
  down: '⚫ I couldn’t see the health checks',
  up: '🟢 I saw the health checks again',
  over: '⚪ Over: I’ve seen the health checks for ten minutes',
}

function describeBlindness({ kind, details, checks: [only, ...others] }: TimelineEvent): string | undefined {
  if (only?.uuid !== '' || others.length > 0) return undefined
  return details?.ending === 'unseen'
    ? '⚪ Over: nobody watches the health checks anymore'
    : BLIND_TEXTS[kind]
}

function describeEventLine({ kind, details = {}, checks, isBaseline }: TimelineEvent): string {
  const names = formatList(checks.map(incidentName), MAX_NAMES, (name) => clip(oneLine(name), MAX_NAME))
  const by = oneLine(details.byName || 'Someone')
  const noticed = details.isLate && NOTICED_TEXTS[kind]
  if (noticed) return noticed.replace('{}', () => names)
  switch (kind) {
    case 'down':
      return isBaseline ? `🔴 Already down when watching began: ${names}` : `🔴 ${names} went down`
    case 'up':
      return `🟢 ${names} went up`
    case 'over':
      return (END_TEXTS[details.ending ?? 'recovered'] ?? '{}').replace('{}', () => names)
    case 'renamed':
      return `✏️ ${clip(oneLine(details.before ?? 'It'), MAX_NAME)} was renamed to ${names}`
    case 'posted':
      return `💬 ${POST_TEXTS[details.reason ?? 'down']}${checks.length > 1 ? `: ${names}` : ''}`
    case 'paged':
      return `📣 Paged ${oneLine(details.names ?? '')}`
    case 'took':
      return `👤 ${by} ${details.from ? `took it over from ${oneLine(details.from)}` : 'is on it'}`
    case 'stepped-down':
      return `👤 ${by} stepped down`
    case 'left':
      return `👤 ${by} can’t act on it anymore, so nobody is on it`
  }
}
