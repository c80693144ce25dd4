import { DAY_MS, formatDuration, HOUR_MS } from '@signalman/runtime'
import {
  barChart,
  card,
  clip,
  commandButton,
  commandMenu,
  type Fact,
  type Line,
  lines,
  type Message,
  oneLine,
  type Part,
  textElement,
} from '@signalman/slack'
import { checkName } from '../../../bot/views/check-facts.ts'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import { formatDay, toZoned, zoneName } from '../../../domain/dates/zoned.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import type { CheckFacts, Outage, Span, Unseen } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { formatCount, formatList, pluralize } from '../../../domain/wording.ts'
import type { HistorySubject } from '../rules/history-subject.ts'
import { type Beginning, getUptime, type HistoryTotals, type PeriodTotals } from '../rules/sum-history.ts'
import { formatOutageRow, formatOutageTimes } from './outages.ts'
import { formatPercent } from './words.ts'

/** A number of days until now, or a period as a person typed it. */
export type HistoryPeriod = { readonly days: number } | { readonly typed: string }

/** Without a check, the history of all checks. */
interface ShownHistory extends Omit<HistorySubject, 'check'> {
  check?: CheckFacts | undefined
  totals: HistoryTotals<Span & { days: number }>
  period: HistoryPeriod
  timeZone: string
  environment: Environment
  now: Date
  /** Set if the environment's checks can't be seen now. */
  unseen?: Unseen | undefined
  /** Whether there may be more outages than were read. Only the latest are counted. */
  isTruncated: boolean
  /** The outages of the check, or of all checks, newest first. */
  latest: readonly Outage[]
  /** The page number. A page lists checks, or the outages of one check. */
  page?: number | undefined
}

const PAGE_SIZE = 10
const HISTORY_DAYS = [1, 7, 30, 90] as const

/** Outages and uptime of a period, as charts if the workspace supports them, otherwise as text. */
export function historyView(shown: ShownHistory): Message {
  const { check, gone, namesake, period, now } = shown
  const { listed, before, isSaid } = foldBefore(shown)
  const { items, page, pages, total } = slicePage<Line>(
    check
      ? shown.latest.map((outage) => formatOutageRow(outage, now, shown.unseen))
      : listCheckLines(listed, shown),
    shown.page ?? 1,
    PAGE_SIZE,
  )
  const heading =
    pages > 1 ? [`${pluralize(total, check ? 'outage' : 'health check')}, ${describePage(page, pages)}:`] : []
  const rows: Line[] = [
    ...heading,
    ...items,
    ...(before.length > 0 ? [formatBefore(before, shown.latest)] : []),
  ]
  const line = formatHistoryCommand(check?.uuid, period)
  const rowsBlock = rows.length > 0 ? [lines(...rows)] : []
  const parts = listPartLines(shown)
  const partsBlock = parts.length > 0 ? [lines(...parts)] : []
  const charts = createCharts(shown)
  return card({
    headline: [...formatHeadline(shown), ` · ${describePeriod(period)}`],
    notes: listNamesakeNotes(shown),
    facts: listFacts(shown, isSaid),
    body: [...(charts.length > 0 ? charts : partsBlock), rowsBlock],
    classicBody: () => [...partsBlock, rowsBlock],
    bodyText: [...parts, ...rows],
    smallPrint: [...listNotes(shown), ['As of ', now]],
    controls: [
      commandMenu(
        'Another time…',
        HISTORY_DAYS.map((option) => ({
          label: `Last ${pluralize(option, 'day')}`,
          value: formatHistoryCommand(check?.uuid, { days: option }),
          chosen: 'days' in period && option === period.days,
        })),
      ),
      ...(check && !gone ? [commandButton('Show', `/hc show ${quoted(check.uuid)}`)] : []),
      ...(namesake
        ? [commandButton('History of the other', formatHistoryCommand(namesake.uuid, period))]
        : []),
      ...pageButtons(neighborPages({ page, pages }, (to) => `${line} --page ${to}`)),
      commandButton('Share to channel', `${line} --page ${page} --share`),
    ],
  })
}

/** `isSaid`: the checks that were already down are in a line of their own. */
function listFacts(shown: ShownHistory, isSaid: boolean): Fact[] {
  const { totals, check, gone, now, unseen } = shown
  const stillDown = totals.stillDown.length
  const nowLabel = unseen ? 'Down when last seen' : 'Down now'
  const downLabel = totals.to < now ? 'Down at its end' : nowLabel
  // Of a deleted check, the observed time says nothing: it may have been deleted long before the end.
  const unneeded = [isSaid && 'Already down', gone && 'Observed']
  return [
    ['Uptime', gone && describeGoneUptime(shown)],
    ['Outages', check && describeOutages(totals)],
    ...sumFacts({ ...totals, unseen }, check).filter(([label]) => !unneeded.includes(label)),
    [downLabel, !check && stillDown > 0 ? pluralize(stillDown, 'health check') : undefined],
  ]
}

/** `Shop checkout was up 99.9 % of the time that Signalman was watching`; for all checks, the number of outages. */
function formatHeadline({ totals, check, gone, environment }: ShownHistory): (string | Date)[] {
  const badge = environmentSuffix(environment)
  // Nothing was observed, so the number of outages is unknown.
  if (!check && totals.observedMs === 0) return [`Signalman wasn’t watching${badge}, so outages are unknown`]
  if (!check) return [`${countOutages(totals)}${badge}${totals.outages === 0 ? observedNote(totals) : ''}`]
  const name = `${checkName(check)}${badge}`
  if (gone?.deletedAt) return [`${name} was deleted `, gone.deletedAt]
  if (gone)
    return [`${name} is no longer in the service`, ...(gone.missedAt ? [', noticed ', gone.missedAt] : [])]
  const uptime = getUptime(totals)
  return [
    uptime === undefined
      ? `Uptime of ${name} isn’t known: ${explainUnknownUptime(totals)}`
      : `${name} was up ${formatPercent(uptime)} of the time that Signalman was watching`,
  ]
}

/** Unknown, unless it's on record when the check was created and when it was deleted. */
function describeGoneUptime({ totals, check, gone }: ShownHistory): string {
  const uptime = check?.madeAt !== undefined && gone?.deletedAt ? getUptime(totals) : undefined
  return uptime === undefined
    ? 'not known'
    : `${formatPercent(uptime)} of the time that Signalman was watching`
}

function listNamesakeNotes({ check, formerName, namesake }: ShownHistory): string[] {
  const renamed = formerName !== undefined && check && foldName(formerName) !== foldName(check.name)
  return [
    ...(renamed ? [`It was named “${clip(oneLine(formerName), 80)}” before.`] : []),
    ...(namesake
      ? [`Another health check ${namesake.isOnRecordOnly ? 'on record had this name' : 'has this name now'}.`]
      : []),
  ]
}

/** The number of outages, or why it isn't known. */
function describeOutages({ outages, checks, observedMs }: HistoryTotals): string {
  if (outages > 0) return formatCount(outages)
  if (checks.length > 0) return 'none new'
  return observedMs === 0 ? 'not known' : 'none'
}

/** A few missed polls aren't worth mentioning. */
const NEARLY_ALL = 0.99

/** Says how much of the period was observed, if it wasn't nearly all of it. */
const observedNote = ({ from, to, observedMs }: PeriodTotals): string =>
  observedMs < NEARLY_ALL * (to.getTime() - from.getTime())
    ? ` in the ${formatDuration(observedMs)} that Signalman was watching`
    : ''

/** The totals, for one check or all. */
export function sumFacts(sum: HistoryTotals & Pick<ShownHistory, 'unseen'>, check?: CheckFacts): Fact[] {
  const { from, to, observedMs, longest } = sum
  const periodMs = to.getTime() - from.getTime()
  return [
    ...downFacts(sum, check),
    ['Longest', longest && describeLongest(longest, sum, check)],
    [
      'Observed',
      `${formatDuration(observedMs)} of ${formatDuration(periodMs)} (${formatPercent(observedMs / periodMs)})`,
    ],
  ]
}

/** The downtime, in total and during maintenance. */
function downFacts(sum: HistoryTotals, check?: CheckFacts): Fact[] {
  const { plannedMs, checks } = sum
  return [
    ['Already down', describeAlreadyDown(checks, check)],
    ['Total downtime', checks.length > 0 ? describeDowntime(sum) : undefined],
    ['In maintenance', plannedMs > 0 ? `${formatDuration(plannedMs)} of downtime, not counted` : undefined],
  ]
}

/** `58 min`, or `58 min, all checks together` if several were down. */
const describeDowntime = ({ downMs, checks }: Pick<HistoryTotals, 'downMs' | 'checks'>): string =>
  `${formatDuration(downMs)}${checks.filter((check) => check.downMs > 0).length > 1 ? ', all checks together' : ''}`

/** `3 outages of 2 health checks`. */
export function countOutages({ outages, checks }: Pick<HistoryTotals, 'outages' | 'checks'>): string {
  if (outages === 0) return `No ${checks.length > 0 ? 'new ' : ''}outage`
  const affected = checks.filter((check) => check.outages > 0).length
  return `${pluralize(outages, 'outage')} of ${pluralize(affected, 'health check')}`
}

const BEGINNING_TEXTS: Readonly<Record<Beginning, string>> = {
  watching: 'when watching began',
  span: 'when this period began',
}
const BEGINNINGS = ['watching', 'span'] as const

/** The checks that were already down, which doesn't count as an outage. Undefined if there are none. */
function describeAlreadyDown(
  checks: HistoryTotals['checks'],
  check: CheckFacts | undefined,
): string | undefined {
  const words = BEGINNINGS.flatMap((beginning) => {
    const count = checks.filter(({ alreadyDownAt }) => alreadyDownAt.includes(beginning)).length
    if (count === 0) return []
    return [
      check
        ? BEGINNING_TEXTS[beginning]
        : `${pluralize(count, 'health check')} ${BEGINNING_TEXTS[beginning]}`,
    ]
  })
  return words.join(', ') || undefined
}

/** `13 min, seen from 11:46, and still down`: the start of a baseline outage is unknown. */
function describeLongest(
  { outage, ms }: NonNullable<HistoryTotals['longest']>,
  { from, unseen }: Pick<HistoryTotals & ShownHistory, 'unseen'> & Pick<Span, 'from'>,
  check: CheckFacts | undefined,
): Line {
  const { startedAt, endedAt, isBaseline, downs } = outage
  const hasUnknownStart = isBaseline || downs[0]?.isFromLate
  const name = check ? '' : `${checkName(outage.check)}, `
  return [
    `${formatDuration(ms)}${startedAt < from ? ' in this period' : ''}, ${name}${hasUnknownStart ? 'seen ' : ''}from `,
    startedAt,
    endedAt ? '' : unseen ? ', and down when last seen' : ', and still down',
  ]
}

const explainUnknownUptime = ({ observedMs }: PeriodTotals): string =>
  observedMs === 0
    ? 'Signalman was watching only during maintenance, or not at all'
    : `Signalman was watching for only ${formatDuration(observedMs)}`

/** The observed days, one per line. None if there is only one, because the facts say the same. */
function listPartLines(shown: ShownHistory): string[] {
  const observed = shown.totals.parts.filter(({ observedMs }) => observedMs > 0)
  return observed.length < 2 ? [] : observed.map((part) => formatPartLine(part, shown))
}

/** `Nov 20: 2 outages, down 1 h 5 min, uptime 99.1 %`. */
function formatPartLine(
  part: PeriodTotals & { days: number },
  { check, gone, timeZone }: ShownHistory,
): string {
  const { outages, downMs, plannedMs } = part
  const words = [
    outages === 0 ? `no ${downMs > 0 ? 'new ' : ''}outage` : pluralize(outages, 'outage'),
    ...(downMs > 0 ? [`down ${formatDuration(downMs)}`] : []),
    ...(plannedMs > 0 ? [`${formatDuration(plannedMs)} more in maintenance`] : []),
  ]
  return `${formatDays(part, timeZone)}: ${words.join(', ')}${check && !gone ? describeUptime(getUptime(part)) : ''}`
}

/** Empty if the uptime isn’t known. */
const describeUptime = (uptime: number | undefined): string =>
  uptime === undefined ? '' : `, uptime ${formatPercent(uptime)}`

type Days = Pick<PeriodTotals, 'from' | 'to'> & { readonly days: number }

/** `Nov 20`, or `Nov 16–20` for several days; at most 14 characters. */
function formatDays({ from, to, days }: Days, timeZone: string): string {
  const first = toZoned(from, timeZone)
  const last = toZoned(new Date(to.getTime() - 1), timeZone)
  if (days === 1) return formatDay(first)
  return `${formatDay(first)}–${first.month === last.month ? last.day : formatDay(last)}`
}

/** Joins neighboring parts without data, so that a week is one range instead of seven dates. */
function listUnobservedDays(parts: readonly (PeriodTotals & Days)[]): Days[] {
  const ranges: Days[] = []
  for (const { observedMs, from, to, days } of parts) {
    if (observedMs > 0) continue
    const previous = ranges.at(-1)
    if (previous && previous.to.getTime() === from.getTime())
      ranges[ranges.length - 1] = { from: previous.from, to, days: previous.days + days }
    else ranges.push({ from, to, days })
  }
  return ranges
}

/** Charts of the observed days. Other days have no bar, because a bar of 0 would claim that nothing was down. */
function createCharts({ totals, check, timeZone }: ShownHistory) {
  const observedParts = totals.parts.filter(({ observedMs }) => observedMs > 0)
  // A single bar says little, and so does a daily chart of less than a day.
  if (observedParts.length < 2 || totals.observedMs < DAY_MS) return []
  const categories = observedParts.map((part) => formatDays(part, timeZone))
  const xAxis = { categories, xLabel: 'Day' }
  const toHours = (ms: number): number => Math.round((ms / HOUR_MS) * 100) / 100
  const down = observedParts.map(({ downMs }) => toHours(downMs))
  const planned = observedParts.map(({ plannedMs }) => toHours(plannedMs))
  return [
    barChart({
      ...xAxis,
      title: 'Outages',
      yLabel: 'Outages',
      series: [{ name: 'Outages', values: observedParts.map(({ outages }) => outages) }],
    }),
    barChart({
      ...xAxis,
      title: check ? 'Hours down' : 'Hours down, all checks combined',
      yLabel: 'Hours',
      series: [
        { name: 'Hours down', values: down },
        ...(planned.some((hours) => hours > 0) ? [{ name: 'In maintenance', values: planned }] : []),
      ],
    }),
  ]
}

/** Checks to list, and those to fold into one line. `isSaid`: that line has every check that was already down. */
function foldBefore({ totals: { checks }, check }: ShownHistory) {
  const before = check ? [] : checks.filter(wasDownBefore)
  if (before.length < 2) return { listed: checks, before: [], isSaid: false }
  return {
    listed: checks.filter((sum) => !wasDownBefore(sum)),
    before,
    isSaid: before.length === checks.filter(({ alreadyDownAt }) => alreadyDownAt.length > 0).length,
  }
}

/** Whether a check was only down since before watching began, so that nothing else is known about it. */
const wasDownBefore = ({ outages, alreadyDownAt }: HistoryTotals['checks'][number]): boolean =>
  outages === 0 && alreadyDownAt.join() === 'watching'

/** `9 were already down when watching began, today 5:09 PM: Shop cache, Group wiki, and 7 more`. */
function formatBefore(sums: HistoryTotals['checks'], outages: readonly Outage[]): Line {
  const beganAt = outages.findLast(({ isBaseline }) => isBaseline)?.startedAt
  const names = formatList(
    sums.map(({ check }) => clip(oneLine(checkName(check)), 80)),
    MAX_BEFORE,
    (name) => name,
  )
  return [
    `${formatCount(sums.length)} were already down ${BEGINNING_TEXTS.watching}`,
    ...(beganAt ? [', ', beganAt] : []),
    `: ${names}`,
  ]
}
const MAX_BEFORE = 5

/** The checks, one a line, each with the times of its latest outages. */
function listCheckLines(sums: HistoryTotals['checks'], { latest, now, unseen }: ShownHistory): Line[] {
  const byCheck = Map.groupBy(latest, ({ check }) => check.uuid)
  return sums.map((sum) => {
    const outages = byCheck.get(sum.check.uuid) ?? []
    const [only, ...others] = outages
    if (only && others.length === 0 && sum.outages === 1 && sum.plannedMs === 0)
      return [boldName(sum), ': ', ...formatOutageTimes(only, now, unseen), describeUptime(sum.uptime)]
    const more = outages.length - MAX_TIMES
    return [
      boldName(sum),
      `: ${describeCheck(sum)}`,
      ...outages.slice(0, MAX_TIMES).flatMap((outage) => [' · ', ...formatOutageTimes(outage, now, unseen)]),
      ...(more > 0 ? [` · and ${formatCount(more)} earlier`] : []),
    ]
  })
}
/** Outages whose times are in a check's line. */
const MAX_TIMES = 3

const lineName = ({ check }: HistoryTotals['checks'][number]): string => clip(oneLine(checkName(check)), 80)

const boldName = (sum: HistoryTotals['checks'][number]): Part => textElement(lineName(sum), { bold: true })

/** The checks that were down longest, one per line. */
export function listWorstChecks({ checks }: Pick<HistoryTotals, 'checks'>): string[] {
  const remaining = checks.length - PAGE_SIZE
  return [
    ...checks.slice(0, PAGE_SIZE).map(formatCheckLine),
    ...(remaining > 0
      ? [`and ${formatCount(remaining)} more that ${remaining === 1 ? 'was' : 'were'} down`]
      : []),
  ]
}

/** `Shop checkout: 2 outages, down 3 min, uptime 99.1 %`. */
const formatCheckLine = (sum: HistoryTotals['checks'][number]): string =>
  `${lineName(sum)}: ${describeCheck(sum)}`

/** `2 outages, down 3 min, uptime 99.1 %`. */
function describeCheck(sum: HistoryTotals['checks'][number]): string {
  const { outages, alreadyDownAt, downMs, plannedMs, uptime } = sum
  const words = [
    ...(outages > 0 ? [pluralize(outages, 'outage')] : []),
    ...alreadyDownAt.map((beginning) => `already down ${BEGINNING_TEXTS[beginning]}`),
    // A check that was down only during maintenance has no other downtime.
    ...(downMs > 0 || plannedMs === 0 ? [`down ${formatDuration(downMs)}`] : []),
    ...(plannedMs > 0 ? [`down ${formatDuration(plannedMs)} in maintenance, not counted`] : []),
  ]
  return `${words.join(', ')}${describeUptime(uptime)}`
}

function listNotes({ totals, isTruncated, timeZone }: ShownHistory): string[] {
  const unobserved = listUnobservedDays(totals.parts).map((range) => formatDays(range, timeZone))
  return [
    unobserved.length > 0 && totals.observedMs > 0
      ? `No data for ${formatList(unobserved, PAGE_SIZE, (day) => day)}.`
      : '',
    isTruncated ? 'There may be more outages than this. Only the latest are counted.' : '',
    totals.observedMs === 0
      ? 'Signalman starts watching with the first watch, and can’t watch while the service doesn’t answer. Maintenance doesn’t count.'
      : 'Only time when the service answered counts as up or down.',
    `Days are in ${zoneName(timeZone, totals.to)}.`,
  ].filter(Boolean)
}

const describePeriod = (period: HistoryPeriod): string =>
  'days' in period ? `last ${pluralize(period.days, 'day')}` : clip(oneLine(period.typed), 60)

/** The command for a period. `check` is a UUID, or a name as it's written in a line. */
export function formatHistoryCommand(check: string | undefined, period: HistoryPeriod): string {
  const time = 'days' in period ? `--days ${period.days}` : period.typed
  return ['/hc history', check, time].filter(Boolean).join(' ')
}
