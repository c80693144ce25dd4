import { DAY_MS, mapInSlices, yieldWhenDue } from '@signalman/runtime'
import { type Down, type Incident, isNoData } from '../../../domain/outages/incident.ts'
import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { type Silence, subjectMatcher, windowsOf } from './silence.ts'

/** Downtime, and the time of which it is a share: what was seen, without maintenance. */
interface Totals {
  readonly downMs: number
  readonly countedMs: number
}

export interface CheckTotals extends Totals {
  readonly check: CheckFacts
  /** How many began in the period, and not only in maintenance. */
  readonly outages: number
  /** Newest first. */
  readonly incidents: (Incident & Pick<Totals, 'downMs'>)[]
}

export interface DayTotals extends Totals {
  readonly span: Span
  /** The time in which the service was polled, also in maintenance. */
  readonly seenMs: number
}

export interface HistoryTotals extends DayTotals {
  readonly outages: number
  /** Longest downtime first. */
  readonly checks: readonly CheckTotals[]
  readonly days: readonly DayTotals[]
}

interface HistoryInput {
  /** Newest first. */
  readonly incidents: readonly Incident[]
  /** When the service was polled: sorted, without overlaps. */
  readonly observed: readonly Span[]
  readonly maintenance: readonly Silence[]
  readonly span: Span
  /** The parts of the span that are shown: sorted, without gaps. */
  readonly days: readonly Span[]
  /** Undefined for all checks, of which only maintenance of everything counts. */
  readonly check?: CheckFacts | undefined
}

const ANY_CHECK: CheckFacts = { uuid: '', name: '' }

/** Sums up the incidents of a period. Only observed time outside maintenance counts as up or down. */
export async function sumHistory(input: HistoryInput): Promise<HistoryTotals> {
  const { observed, span, days, check = ANY_CHECK } = input
  const seen = intersect(observed, [span])
  const listCounted = createCounted(seen, await listPlanned(input.maintenance, span))
  const byDay = days.map(() => 0)
  const byCheck = new Map<string, CheckTotals>()
  for (const incident of input.incidents) {
    await yieldWhenDue()
    if (isNoData(incident)) continue
    const counted = listCounted(incident.check)
    const downs = intersect(toSpans(incident.downs, span.to), counted)
    for (const [index, day] of days.entries())
      byDay[index] = (byDay[index] ?? 0) + sum(intersect(downs, [day]))
    const downMs = sum(downs)
    const isOutage = !incident.isBaseline && incident.openedAt >= span.from && downMs > 0
    const known = byCheck.get(incident.check.uuid)
    known?.incidents.push({ ...incident, downMs })
    byCheck.set(incident.check.uuid, {
      ...(known ?? { check: incident.check, countedMs: sum(counted), incidents: [{ ...incident, downMs }] }),
      downMs: (known?.downMs ?? 0) + downMs,
      outages: (known?.outages ?? 0) + (isOutage ? 1 : 0),
    })
  }
  const checks = [...byCheck.values()].toSorted((left, right) => right.downMs - left.downMs)
  const counted = listCounted(check)
  const toTotals = (part: Span, downMs: number): DayTotals => ({
    ...{ span: part, downMs, seenMs: sum(intersect(seen, [part])) },
    countedMs: sum(intersect(counted, [part])),
  })
  return {
    ...toTotals(
      span,
      checks.reduce((ms, { downMs }) => ms + downMs, 0),
    ),
    outages: checks.reduce((count, { outages }) => count + outages, 0),
    checks,
    days: days.map((day, index) => toTotals(day, byDay[index] ?? 0)),
  }
}

/** A figure of less time than this says little. */
const MIN_COUNTED_MS = DAY_MS

/** The share of counted time up, from 0 to 1; undefined if less counts than a day, or than almost all of a shorter period. */
export function getUptime({ downMs, countedMs }: Totals, { from, to }: Span) {
  const minMs = Math.min(MIN_COUNTED_MS, 0.9 * (to.getTime() - from.getTime()))
  return countedMs < minMs || countedMs <= 0 ? undefined : Math.max(0, 1 - downMs / countedMs)
}

/** Maintenance: the checks that it covers, and its windows in the period. */
const listPlanned = (maintenance: readonly Silence[], span: Span) =>
  mapInSlices(maintenance, (silence) => ({
    covers: subjectMatcher(silence.subject),
    windows: windowsOf(silence, span),
  }))

/** The observed time of a check without maintenance. Checks with the same maintenance share it. */
function createCounted(observed: readonly Span[], maintenance: Awaited<ReturnType<typeof listPlanned>>) {
  const known = new Map<string, readonly Span[]>()
  return (check: CheckFacts): readonly Span[] => {
    const planned = maintenance.flatMap(({ covers }, index) => (covers(check) ? [index] : []))
    const key = planned.join()
    const found =
      known.get(key) ??
      subtract(observed, merge(planned.flatMap((index) => maintenance[index]?.windows ?? [])))
    known.set(key, found)
    return found
  }
}

const toSpans = (downs: readonly Down[], end: Date): Span[] =>
  downs.flatMap(({ from, to = end }) => (to > from ? [{ from, to }] : []))

const sum = (spans: readonly Span[]): number =>
  spans.reduce((ms, { from, to }) => ms + to.getTime() - from.getTime(), 0)

/** The time in both. Each is sorted and without overlaps; so is the result. */
function intersect(left: readonly Span[], right: readonly Span[]): Span[] {
  const both: Span[] = []
  for (let [i, j] = [0, 0]; ; ) {
    const [one, other] = [left[i], right[j]]
    if (!one || !other) return both
    const from = one.from > other.from ? one.from : other.from
    const to = one.to < other.to ? one.to : other.to
    if (to > from) both.push({ from, to })
    if (one.to < other.to) i += 1
    else j += 1
  }
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((left, right) => left.from.getTime() - right.from.getTime())) {
    const last = merged.at(-1)
    if (!last || span.from > last.to) merged.push(span)
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
  }
  return merged
}

/** Removes spans. Each list is sorted and without overlaps. */
function subtract(spans: readonly Span[], removed: readonly Span[]): Span[] {
  const [start, end] = [new Date(-MAX_MS), new Date(MAX_MS)]
  const gaps = [...removed, { from: end, to: end }].map(({ from }, index) => ({
    from: removed[index - 1]?.to ?? start,
    to: from,
  }))
  return intersect(spans, gaps)
}

/** The earliest and latest date are this far from 1970. */
const MAX_MS = 8.64e15
