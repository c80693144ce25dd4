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
import type { CheckFacts, Unseen } from '../../../domain/outages/outage.ts'
import { countFalls, formatDownSince, formatLasted } from '../../../domain/outages/spell.ts'
import { quoted, writePattern } from '../../../domain/quoting.ts'
import { capitalize, formatCount, pluralize } from '../../../domain/wording.ts'
import { type CheckTotals, getUptime, type HistoryTotals } from '../rules/sum-history.ts'
import { RETENTION_DAYS } from '../rules/watch.ts'
import { ENDINGS } from './cards.ts'
import { describeUnseen, formatPercent } from './words.ts'

/** Without a check or a pattern, the history of all checks. */
interface ShownHistory {
  readonly check?: CheckFacts | undefined
  readonly pattern?: string | undefined
  /** The service no longer has the check. */
  readonly isGone: boolean
  readonly totals: HistoryTotals
  readonly timeZone: string
  /** As typed. */
  readonly period: string
  readonly environment: Environment
  readonly now: Date
  readonly unseen?: Unseen | undefined
  /** There may be more incidents than were read. */
  readonly isTruncated: boolean
  /** The period begins before what is kept. */
  readonly isShortened: boolean
  readonly page?: number | undefined
}

const PAGE_SIZE = 10
const PERIODS = ['last 24h', 'last 7 days', 'last 30 days', 'last 90 days']

export function historyView(shown: ShownHistory): Message {
  const { check, totals, period, now, unseen, isGone, isTruncated, isShortened } = shown
  const found = check ? totals.checks.flatMap(({ incidents }) => incidents) : totals.checks
  const { items, page, pages } = slicePage<CheckTotals | PastOutage>(found, shown.page ?? 1, PAGE_SIZE)
  const subject = check?.uuid ?? (shown.pattern && writePattern(shown.pattern))
  const line = formatHistoryCommand(subject, period)
  return card({
    headline: `${formatHeadline(shown)} · ${clip(oneLine(period), 60)}`,
    notes: [
      ['From ', totals.span.from, ' to ', totals.span.to],
      ...(isGone ? ['The service no longer has this health check.'] : []),
      ...(unseen ? [describeUnseen(unseen)] : []),
    ],
    facts: [
      ['Total downtime', totals.downMs > 0 ? formatLasted(totals.downMs) : undefined],
      ...listMedians(shown),
      ...listUptime(shown),
      ...listObserved(shown),
    ],
    body: [...drawDays(shown), ...drawRows(shown, items, describePage(page, pages))],
    smallPrint: [
      ...(isShortened
        ? [`Outages are kept for ${RETENTION_DAYS} days, so this begins later than you asked.`]
        : []),
      ...(isTruncated ? ['There may be more outages than this. Only the latest are counted.'] : []),
      'Counts only the time in which Signalman saw the health checks, without maintenance.',
      ['As of ', now],
    ],
    controls: [
      commandMenu(
        'Another time…',
        PERIODS.map((one) => ({
          label: capitalize(one),
          value: formatHistoryCommand(subject, one),
          chosen: one === period,
        })),
      ),
      ...(totals.seenMs > 0 ? [] : [commandButton('Watch…', '/hc watch-edit')]),
      ...(check && !isGone ? [commandButton('Show', `/hc show ${quoted(check.uuid)}`)] : []),
      ...pageButtons(neighborPages({ page, pages }, (to) => `${line} --page ${to}`)),
      commandButton('Share to channel', `${line} --page ${page} --share`),
    ],
  })
}

function drawRows(
  shown: ShownHistory,
  items: readonly (CheckTotals | PastOutage)[],
  position: string | false | undefined,
): KnownBlock[] {
  const rows = items.map((item) =>
    'incidents' in item ? formatCheck(item, shown) : formatOutage(item, shown),
  )
  return rows.length > 0 ? [lines(...(position ? [position] : []), ...rows)] : []
}

/** If less of a period was seen, having seen no outages is said of that. */
const MIN_SEEN = 0.9

/** `shop*: 3 outages` */
function formatHeadline({ check, pattern, totals, environment }: ShownHistory): string {
  const suffix = environmentSuffix(environment)
  const name = check ? checkName(check) : pattern
  const isDown = totals.checks.some(({ incidents }) => incidents.some((one) => one.isDown))
  // One that has just begun, or under maintenance, has no downtime.
  const { span, seenMs } = totals
  const isPart = seenMs < MIN_SEEN * (span.to.getTime() - span.from.getTime())
  const seen = isPart ? ` in ${formatLasted(seenMs)} of watching` : ''
  const none = isDown && totals.downMs === 0 ? 'Down now, but no outages counted yet' : `No outages${seen}`
  const outages =
    countOutages(
      totals.outages,
      totals.checks.flatMap(({ incidents }) => incidents),
    ) ?? none
  const text = totals.seenMs === 0 ? 'Signalman wasn’t watching, so outages are unknown' : outages
  return `${name === undefined ? '' : `${clip(oneLine(name), 80)}: `}${text}${suffix}`
}

/** `2 outages`, or `1 outage, begun before` the period or the watch. Undefined if nothing counts. */
function countOutages(begun: number, incidents: readonly PastOutage[]): string | undefined {
  const earlier = incidents.filter(({ downMs }) => downMs > 0).length - begun
  if (begun > 0) return pluralize(begun, 'outage')
  return earlier > 0 ? `${pluralize(earlier, 'outage')}, begun before` : undefined
}

/** How long it took until people were paged, and until somebody took it: the middle one of the outages of which that is known. */
function listMedians({ totals }: ShownHistory): Fact[] {
  const all = totals.checks.flatMap(({ incidents }) => incidents).filter(({ downMs }) => downMs > 0)
  const median = (label: string, findAt: (outage: PastOutage) => Date | undefined): Fact[] => {
    const lasted = all
      .flatMap((outage) => {
        const at = findAt(outage)
        return at ? [at.getTime() - outage.openedAt.getTime()] : []
      })
      .sort((left, right) => left - right)
    const middle = lasted[Math.floor((lasted.length - 1) / 2)]
    return middle === undefined
      ? []
      : [
          [
            label,
            `${formatLasted(middle)} (${formatCount(lasted.length)} of ${pluralize(all.length, 'outage')})`,
          ],
        ]
  }
  return all.length < 2
    ? []
    : [
        ...median('Median until paged', ({ pagedAt }) => pagedAt),
        ...median('Median until taken', ({ takenFirst }) => takenFirst?.at),
      ]
}

/** Of one check. Each of several has its own in its line. */
function listUptime({ check, totals }: ShownHistory): Fact[] {
  const uptime = check && getUptime(totals, totals.span)
  return uptime === undefined ? [] : [['Uptime', formatPercent(uptime)]]
}

/** How much of the period Signalman saw, if there are gaps. If it saw nothing, the first line says so. */
function listObserved({ totals: { span, seenMs } }: ShownHistory): Fact[] {
  const allMs = span.to.getTime() - span.from.getTime()
  return seenMs > 0 && allMs - seenMs > HOUR_MS
    ? [['Observed', `${formatLasted(seenMs)} of ${formatDuration(allMs)}`]]
    : []
}

/** `Nov 22 🟩🟥🟩 Nov 28`, a square for each day or few days, and the figures of those with downtime. */
function drawDays({ totals: { days }, check, timeZone }: ShownHistory): KnownBlock[] {
  if (days.length < 2 || days.every(({ seenMs }) => seenMs === 0)) return []
  const squares = days.map(({ seenMs, downMs }) => (seenMs === 0 ? '⬜' : downMs > 0 ? '🟥' : '🟩'))
  const labels = days.map(({ span: { from, to } }) =>
    [from, new Date(to.getTime() - 1)].map((at) => formatDay(toZoned(at, timeZone))),
  )
  const figures = days.flatMap((day, index) => {
    if (day.downMs === 0) return []
    const uptime = check && getUptime(day, day.span)
    const share = uptime === undefined ? '' : `, uptime ${formatPercent(uptime)}`
    return [`${[...new Set(labels[index])].join(' to ')}: down ${formatLasted(day.downMs)}${share}`]
  })
  const strip = [labels[0]?.[0], squares.join(''), labels.at(-1)?.[1]].join(' ')
  return [lines(strip, '🟩 up · 🟥 down · ⬜ not seen', ...figures)]
}

/** `web-1: 2 outages, down 9 min, uptime 99.9% · last today at 2:18 AM · paged after 10 min` */
function formatCheck({ check, incidents, outages, ...sums }: CheckTotals, { totals }: ShownHistory): Line {
  const uptime = getUptime(sums, totals.span)
  const [last] = incidents
  const figures = [
    incidents.some(({ isBaseline }) => isBaseline) && 'already down when watching began',
    countOutages(outages, incidents),
    sums.downMs > 0 && `down ${formatLasted(sums.downMs)}`,
    uptime !== undefined && `uptime ${formatPercent(uptime)}`,
  ]
  return [
    textElement(clip(oneLine(checkName(check)), 80), { bold: true }),
    `: ${figures.filter(Boolean).join(', ')}`,
    ...(last ? (last.isDown ? [' · down ', ...formatDownSince(last)] : [' · last ', last.openedAt]) : []),
    last ? describeResponse(last) : '',
  ]
}

type PastOutage = CheckTotals['incidents'][number]

/**
 * `🟢 was down today at 2:18 AM, for 4 min, 3 times · paged after 2 min · Ann took it after 3 min`, or `🔴 down since today at 2:18 AM, for 4 min`:
 * as much as counts in the period.
 */
function formatOutage(outage: PastOutage, { totals: { span } }: ShownHistory): Line {
  const { isDown, downs, isBaseline, openedAt, ending = 'recovered', downMs } = outage
  // Nobody saw it begin, or end.
  const isCut = isBaseline || downs[0]?.isAtLeast || ending === 'unseen'
  const lasted = formatLasted(downMs, { isAtLeast: isCut })
  const counted = downMs === 0 ? 'not counted' : `for ${lasted}${openedAt < span.from ? ' of this time' : ''}`
  const falls = downs.length > 1 ? `, ${countFalls(outage)} times` : ''
  const since = isDown && [...formatDownSince(outage), ...(falls ? [`${falls} from `, openedAt] : [])]
  return [
    ...(since
      ? ['🔴 down ', ...since, `, ${counted}`]
      : [`${ENDINGS[ending].emoji} was ${isCut ? 'seen ' : ''}down `, openedAt, `, ${counted}${falls}`]),
    describeResponse(outage),
  ]
}

/** ` · paged after 10 min · Ann took it after 12 min`: when people were paged first, and who took it first. */
function describeResponse({ openedAt, pagedAt, takenFirst }: PastOutage): string {
  const after = (at: Date): string => `after ${formatLasted(at.getTime() - openedAt.getTime())}`
  return [
    pagedAt && ` · paged ${after(pagedAt)}`,
    takenFirst && ` · ${clip(oneLine(takenFirst.name || takenFirst.by), 80)} took it ${after(takenFirst.at)}`,
  ]
    .filter(Boolean)
    .join('')
}

/** The command for a period. `check` is a UUID, or a name as it's written in a line. */
const formatHistoryCommand = (check: string | undefined, period: string): string =>
  ['/hc history', check, period].filter(Boolean).join(' ')
