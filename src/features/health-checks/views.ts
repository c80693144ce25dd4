import type { HealthCheckPage } from '../../api/health-checks.ts'
import type { Environment } from '../../api/service.ts'
import { utc } from '../../blocks/dates.ts'
import { actions, context, divider, header, section } from '../../blocks/layout.ts'
import { LIMITS } from '../../blocks/limits.ts'
import { type Message, message } from '../../blocks/message.ts'
import { offer, offerMenu } from '../../blocks/offers.ts'
import { literal } from '../../blocks/text.ts'
import { type Filters, filterWords, listLine } from './filters.ts'
import { checkLine, checkRow } from './rows.ts'
import { STATUSES, statusLabel, statusWord } from './status.ts'
import type { Summary } from './summary.ts'

/** `OTE test environment · as of …`: where and when an answer holds. */
export const asOf = (environment: Environment, now: Date): string =>
  [environment === 'ote' && 'OTE test environment', `As of ${utc(now)}`].filter(Boolean).join(' · ')

export const badge = (environment: Environment): string => (environment === 'ote' ? ' (OTE)' : '')

const checks = (count: number): string => `${count} health check${count === 1 ? '' : 's'}`

export function summaryView(summary: Summary, environment: Environment, now: Date): Message {
  const { total, down } = summary
  const counts = [
    [summary.unhealthy, 'UNHEALTHY'],
    [summary.installing, 'INSTALLING'],
    [summary.healthy, 'HEALTHY'],
  ] as const
  const other = total - counts.reduce((sum, [count]) => sum + count, 0)
  const words = [
    ...counts.map(([count, status]) => `${count} ${statusWord(status).toLowerCase()}`),
    ...(other > 0 ? [`${other} with another status`] : []),
  ]
  const more = summary.unhealthy - down.length
  const text = [
    `${checks(total)}${badge(environment)}: ${words.join(', ')}.`,
    ...down.map(checkLine),
    ...(more > 0 ? [`and ${more} more that are unhealthy`] : []),
  ]
  return message(
    literal(text.join('\n')),
    header(`Health checks${badge(environment)}`),
    section(
      total === 0
        ? 'There are no health checks yet. Create the first one.'
        : [
            ...counts.map(([count, status]) => `${statusLabel(status)}: ${count}`),
            ...(other > 0 ? [`⚪ Another status: ${other}`] : []),
          ].join('\n'),
    ),
    down.length > 0 ? [divider(), ...down.map(checkRow)] : [],
    more > 0 ? [context(`${more} more that are unhealthy.`)] : [],
    actions(
      ...counts
        .filter(([count]) => count > 0)
        .map(([count, status]) => offer(`${statusWord(status)} (${count})`, `/hc list --status ${status}`)),
      offer('All', '/hc list'),
      offer('Create', '/hc create'),
      offer('Refresh', '/hc', { inPlace: true }),
      offer('Share to channel', '/hc --share'),
    ),
    context(asOf(environment, now)),
  )
}

/** Around the rows stand at most six blocks: header, place, two notes, actions, time. */
const MOST_ROWS = LIMITS.messageBlocks - 6

export function listView(
  page: HealthCheckPage,
  filters: Filters,
  pageSize: number,
  environment: Environment,
  now: Date,
): Message {
  const { results, total, offset, unreadable } = page
  const narrowed = filterWords(filters)
  const last = offset + results.length + unreadable
  const place =
    results.length === 0
      ? `No health checks ${narrowed ? `match: ${narrowed}` : 'here'}.`
      : `${offset + 1}–${last} of ${total} · page ${Math.floor(offset / pageSize) + 1} of ${Math.ceil(total / pageSize)}${narrowed ? ` · ${narrowed}` : ''}`
  // A service may answer more than it was asked for; the menus below the rows must not fall off the message.
  const shown = results.slice(0, MOST_ROWS)
  const more = results.length - shown.length
  const notes = [
    more > 0 ? `${more} more on this page do not fit one message: narrow the listing.` : '',
    unreadable > 0 ? `${unreadable} could not be read: the service sent them in a form not understood.` : '',
  ].filter(Boolean)
  return message(
    literal([`Health checks${badge(environment)}: ${place}`, ...notes, ...shown.map(checkLine)].join('\n')),
    header(`Health checks${badge(environment)}`),
    context(place),
    shown.map(checkRow),
    notes.map((note) => context(note)),
    actions(
      ...(offset > 0
        ? [
            offer('Previous', listLine(filters, { offset: Math.max(0, offset - pageSize) }), {
              inPlace: true,
            }),
          ]
        : []),
      ...(last < total
        ? [offer('Next', listLine(filters, { offset: offset + pageSize }), { inPlace: true })]
        : []),
      offerMenu('Status', statusChoices(filters)),
      offer('Refresh', listLine(filters, { offset }), { inPlace: true }),
      offer('Share to channel', `${listLine(filters, { offset })} --share`),
    ),
    context(asOf(environment, now)),
  )
}

function statusChoices(filters: Filters) {
  return [
    { label: 'Every status', value: listLine(filters, { status: undefined }), chosen: !filters.status },
    ...STATUSES.map((status) => ({
      label: statusLabel(status),
      value: listLine(filters, { status }),
      chosen: filters.status === status,
    })),
  ]
}
