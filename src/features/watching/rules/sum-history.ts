import { DAY_MS } from '@signalman/runtime'
import { type Down, type Incident, isNoData } from '../../../domain/outages/incident.ts'
import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { type Silence, subjectMatcher, windowsOf } from './silence.ts'

/** How long something was observed and down in a period, without maintenance. */
interface Totals {
  readonly observedMs: number
  readonly downMs: number
  readonly outages: number
}

interface CheckTotals extends Totals {
  readonly check: CheckFacts
  /** Newest first. */
  readonly incidents: readonly Incident[]
}

export interface HistoryTotals extends Totals {
  readonly span: Span
  /** How long at least one of them was down. */
  readonly anyDownMs: number
  /** Longest downtime first. */
  readonly checks: readonly CheckTotals[]
}

interface HistoryInput {
  readonly incidents: readonly Incident[]
  /** When the service was polled: sorted, without overlaps. */
  readonly observed: readonly Span[]
  readonly maintenance: readonly Planned[]
  readonly span: Span
}

/** Maintenance: the checks that it covers, and its windows. */
interface Planned {
  readonly covers: (check: CheckFacts) => boolean
  readonly windows: readonly Span[]
}

/** The windows of maintenance in a period. Listing them takes long, so do it once for all of its parts. */
export const listPlanned = (maintenance: readonly Silence[], span: Span): Planned[] =>
  maintenance.map((silence) => ({
    covers: subjectMatcher(silence.subject),
    windows: windowsOf(silence, span),
  }))

/** A figure of less observed time than this says little. */
const MIN_OBSERVED_MS = DAY_MS

/** Sums up the incidents of a period. Only observed time outside maintenance counts as up or down. */
export function sumHistory({ incidents, observed, maintenance, span }: HistoryInput): HistoryTotals {
  const counted = intersect(observed, [span])
  const listCounted = createCounted(counted, maintenance)
  const byCheck = Map.groupBy(
    incidents.filter((incident) => !isNoData(incident)),
    ({ check }) => check.uuid,
  )
  const down: Span[] = []
  const checks = [...byCheck.values()].flatMap((found): CheckTotals[] => {
    const latest = found.toSorted((left, right) => right.openedAt.getTime() - left.openedAt.getTime())
    const check = latest[0]?.check
    if (!check) return []
    const spans = listCounted(check)
    const downs = intersect(
      spans,
      found.flatMap((incident) => toSpans(incident.downs, span.to)),
    )
    down.push(...downs)
    return [
      {
        check,
        incidents: latest,
        observedMs: sum(spans),
        downMs: sum(downs),
        outages: found.filter((incident) => !incident.isBaseline && isCounted(incident, spans, span)).length,
      },
    ]
  })
  return {
    span,
    observedMs: sum(counted),
    downMs: checks.reduce((ms, { downMs }) => ms + downMs, 0),
    anyDownMs: sum(merge(down)),
    outages: checks.reduce((count, { outages }) => count + outages, 0),
    checks: checks.toSorted((left, right) => right.downMs - left.downMs),
  }
}

/** Whether an outage began in the period, and not only during maintenance. */
const isCounted = ({ openedAt, downs }: Incident, spans: readonly Span[], { from, to }: Span): boolean =>
  openedAt >= from && openedAt < to && sum(intersect(spans, toSpans(downs, to))) > 0

/** The share of observed time up, from 0 to 1; undefined if less was observed than a day, or than almost all of a shorter period. */
export function getUptime(
  { downMs, observedMs }: Pick<Totals, 'downMs' | 'observedMs'>,
  { from, to }: Span,
): number | undefined {
  const minMs = Math.min(MIN_OBSERVED_MS, 0.9 * (to.getTime() - from.getTime()))
  return observedMs < minMs ? undefined : getShareUp({ downMs, observedMs })
}

/** The same, however little was observed. Undefined if nothing was. */
export const getShareUp = ({
  downMs,
  observedMs,
}: Pick<Totals, 'downMs' | 'observedMs'>): number | undefined =>
  observedMs <= 0 ? undefined : Math.max(0, 1 - downMs / observedMs)

/** The observed time of a check that wasn't down, without maintenance. */
export const measureObserved = (
  { observed, maintenance, span }: Omit<HistoryInput, 'incidents'>,
  check: CheckFacts,
): number => sum(createCounted(intersect(observed, [span]), maintenance)(check))

/** The observed time of a check without maintenance. Checks with the same maintenance share it. */
function createCounted(observed: readonly Span[], maintenance: readonly Planned[]) {
  const known = new Map<string, readonly Span[]>()
  return (check: CheckFacts): readonly Span[] => {
    const planned = maintenance.flatMap(({ covers }, index) => (covers(check) ? [index] : []))
    const key = planned.join()
    const found = known.get(key)
    if (found) return found
    const spans = subtract(
      observed,
      planned.flatMap((index) => maintenance[index]?.windows ?? []),
    )
    known.set(key, spans)
    return spans
  }
}

const toSpans = (downs: readonly Down[], end: Date): Span[] =>
  downs.flatMap(({ from, to = end }) => (to > from ? [{ from, to }] : []))

const sum = (spans: readonly Span[]): number =>
  spans.reduce((ms, { from, to }) => ms + to.getTime() - from.getTime(), 0)

/** The time in both. The spans of `left` don't overlap each other; neither do those of `right`. */
function intersect(left: readonly Span[], right: readonly Span[]): Span[] {
  const both: Span[] = []
  for (const other of right)
    for (const one of left) {
      const from = one.from > other.from ? one.from : other.from
      const to = one.to < other.to ? one.to : other.to
      if (to > from) both.push({ from, to })
    }
  return both
}

/** Joins spans that overlap. */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((left, right) => left.from.getTime() - right.from.getTime())) {
    const last = merged.at(-1)
    if (!last || span.from > last.to) merged.push(span)
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
  }
  return merged
}

/** Removes spans, which may overlap each other. */
const subtract = (spans: readonly Span[], removed: readonly Span[]): Span[] =>
  removed.reduce<readonly Span[]>(
    (remaining, { from, to }) =>
      remaining.flatMap((span) =>
        to <= span.from || from >= span.to
          ? [span]
          : [
              ...(from > span.from ? [{ from: span.from, to: from }] : []),
              ...(to < span.to ? [{ from: to, to: span.to }] : []),
            ],
      ),
    spans,
  ) as Span[]
