import { formatDuration, HOUR_MS } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Fact,
  type Line,
  lines,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { checkName } from '../../../bot/views/check-facts.ts'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import { formatDay, toZoned } from '../../../domain/dates/zoned.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts, Unseen } from '../../../domain/outages/outage.ts'
import { quoted, writePattern } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import { getShareUp, getUptime, type HistoryTotals } from '../rules/sum-history.ts'
import { ENDINGS } from './cards.ts'
import { formatPercent } from './words.ts'

/** A number of days until now, or a period as a person typed it. */
export type HistoryPeriod = { readonly days: number } | { readonly typed: string }

/** Without a check or a pattern, the history of all checks. */
interface ShownHistory {
  readonly check?: CheckFacts | undefined
  /** What the names of a group match. */
  readonly pattern?: string | undefined
  /** When Signalman first saw the checks. */
  readonly watchedSince: Date | undefined
  /** The service no longer has the check. */
  readonly isGone: boolean
  readonly totals: HistoryTotals
  /** How long the check, or all of them, counted as up or down, also if it was never down. */
  readonly countedMs: number
  /** The totals of each day, or of every few days. */
  readonly days: readonly HistoryTotals[]
  readonly timeZone: string
  readonly period: HistoryPeriod
  readonly environment: Environment
  readonly now: Date
  readonly unseen?: Unseen | undefined
  /** There may be more incidents than were read. */
  readonly isTruncated: boolean
  readonly page?: number | undefined
}

const PAGE_SIZE = 10
const HISTORY_DAYS = [1, 7, 30, 90] as const

/** Outages and uptime of a period. */
export function historyView(shown: ShownHistory): Message {
  const { check, totals, period, now, unseen, isGone, isTruncated } = shown
  const { items, page, pages } = slicePage<Line>(listRows(shown), shown.page ?? 1, PAGE_SIZE)
  const subject = check?.uuid ?? (shown.pattern && writePattern(shown.pattern))
  const line = formatHistoryCommand(subject, period)
  const rows =
    items.length > 0 ? [lines(...(pages > 1 ? [describePage(page, pages) || ''] : []), ...items)] : []
  return card({
    headline: `${formatHeadline(shown)} · ${describePeriod(period)}`,
    notes: [
      ...(isGone ? ['The service no longer has this health check.'] : []),
      ...(unseen ? [['⚫ As of ', unseen.since, ': I can’t see the health checks since.'] as const] : []),
    ],
    facts: [
      ['Total downtime', totals.downMs > 0 ? formatDuration(totals.downMs) : undefined],
      ...listUptime(shown),
      ...listObserved(shown),
    ],
    body: [...drawDays(shown), ...rows],
    smallPrint: [
      ...(isTruncated ? ['There may be more outages than this. Only the latest are counted.'] : []),
      'Counts only the time in which Signalman saw the health checks, without maintenance.',
      ['As of ', now],
    ],
    controls: [
      commandMenu(
        'Another time…',
        HISTORY_DAYS.map((days) => ({
          label: `Last ${pluralize(days, 'day')}`,
          value: formatHistoryCommand(subject, { days }),
          chosen: 'days' in period && days === period.days,
        })),
      ),
      ...(shown.watchedSince ? [] : [commandButton('Watch…', '/hc watch-edit')]),
      ...(check && !isGone ? [commandButton('Show', `/hc show ${quoted(check.uuid)}`)] : []),
      ...pageButtons(neighborPages({ page, pages }, (to) => `${line} --page ${to}`)),
      commandButton('Share to channel', `${line} --page ${page} --share`),
    ],
  })
}

/** `shop*: 3 outages` */
function formatHeadline({ check, pattern, totals, environment }: ShownHistory): string {
  const suffix = environmentSuffix(environment)
  const name = check ? checkName(check) : pattern
  const outages = totals.outages === 0 ? 'No outages' : pluralize(totals.outages, 'outage')
  const text = totals.observedMs === 0 ? 'Signalman wasn’t watching, so outages are unknown' : outages
  return `${name === undefined ? '' : `${clip(oneLine(name), 80)}: `}${text}${suffix}`
}

/** Of one check, its uptime; of several, how much of the time none of them was down. Only of enough observed time. */
function listUptime({ check, totals, countedMs }: ShownHistory): Fact[] {
  const { span, downMs, anyDownMs } = totals
  const uptime = getUptime({ downMs: check ? downMs : anyDownMs, observedMs: countedMs }, span)
  return uptime === undefined ? [] : [[check ? 'Uptime' : 'All up', formatPercent(uptime)]]
}

/** Since when Signalman has watched, or how much of the period it saw if there are gaps. */
function listObserved({ totals: { span, observedMs }, watchedSince }: ShownHistory): Fact[] {
  const from = watchedSince && watchedSince > span.from ? watchedSince : span.from
  const missedMs = span.to.getTime() - from.getTime() - observedMs
  return [
    ...(watchedSince && watchedSince > span.from ? [['Watching since', [watchedSince]] as const] : []),
    ...(missedMs > HOUR_MS
      ? [['Observed', `${formatDuration(observedMs)} of ${formatDuration(observedMs + missedMs)}`] as const]
      : []),
  ]
}

/** `Nov 22 🟩🟥🟩 Nov 28`, a square for each day or few days, and the figures of those with downtime. */
function drawDays({ days, check, timeZone }: ShownHistory): KnownBlock[] {
  // A single square says little.
  if (days.filter(({ observedMs }) => observedMs > 0).length < 2) return []
  const squares = days.map(({ observedMs, downMs }) => (observedMs === 0 ? '⬜' : downMs > 0 ? '🟥' : '🟩'))
  const labels = days.map(({ span: { from, to } }) =>
    [from, new Date(to.getTime() - 1)].map((at) => formatDay(toZoned(at, timeZone))),
  )
  const figures = days.flatMap((day, index) => {
    if (day.downMs === 0) return []
    const label = [...new Set(labels[index])].join(' to ')
    const uptime = check && getShareUp(day)
    return [
      `${label}: ${uptime === undefined ? `down ${formatDuration(day.downMs)}` : `uptime ${formatPercent(uptime)}`}`,
    ]
  })
  const strip = [labels[0]?.[0], squares.join(''), labels.at(-1)?.[1]].join(' ')
  return [lines(strip, '🟩 up · 🟥 down · ⬜ not seen', ...figures)]
}

/** The outages of the check, or one line for each check. */
function listRows({ check, totals, now }: ShownHistory): Line[] {
  if (check)
    return totals.checks.flatMap(({ incidents }) => incidents.map((incident) => formatRow(incident, now)))
  return totals.checks.map((sum): Line => {
    const uptime = getUptime(sum, totals.span)
    const [latest] = sum.incidents
    return [
      textElement(clip(oneLine(checkName(sum.check)), 80), { bold: true }),
      `: ${[
        sum.incidents.some(({ isBaseline }) => isBaseline) && 'already down when watching began',
        sum.outages > 0 && pluralize(sum.outages, 'outage'),
        `down ${formatDuration(sum.downMs)}`,
        uptime !== undefined && `uptime ${formatPercent(uptime)}`,
      ]
        .filter(Boolean)
        .join(', ')}`,
      ...(latest ? [' · last ', latest.openedAt] : []),
    ]
  })
}

/** `🟢 down today at 2:18 AM, for 4 min, 3 times`. */
function formatRow({ isDown, downs, isBaseline, openedAt, ending = 'recovered' }: Incident, now: Date): Line {
  const ms = downs.reduce((sum, { from, to = now }) => sum + to.getTime() - from.getTime(), 0)
  return [
    `${isDown ? '🔴' : ENDINGS[ending].emoji} ${isBaseline ? 'seen ' : ''}down `,
    openedAt,
    `, for ${isBaseline ? 'at least ' : ''}${formatDuration(ms)}${downs.length > 1 ? `, ${downs.length} times` : ''}${isDown ? ', and still down' : ''}`,
  ]
}

const describePeriod = (period: HistoryPeriod): string =>
  'days' in period ? `last ${pluralize(period.days, 'day')}` : clip(oneLine(period.typed), 60)

/** The command for a period. `check` is a UUID, or a name as it's written in a line. */
export function formatHistoryCommand(check: string | undefined, period: HistoryPeriod): string {
  const time = 'days' in period ? `--days ${period.days}` : period.typed
  return ['/hc history', check, time].filter(Boolean).join(' ')
}
