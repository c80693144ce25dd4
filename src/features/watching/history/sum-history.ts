import type { ObservedInterval, Outage } from '../../../domain/watching/outage.ts'
import type { CheckFacts } from '../../../domain/watching/watch.ts'
import { momentOf, wallTimeOf } from '../../../domain/zoned-time.ts'

/** The sums of a stretch of time, or of one part of it. */
export interface TimeSum {
  readonly from: Date
  readonly to: Date
  /** How long the service was asked and answered. */
  readonly observedMs: number
  /** Outages that began in this time. */
  readonly outages: number
  /** How long all checks together were down, within the observed time. */
  readonly downMs: number
}

/** `watching`: when watching began; `span`: when the time that is shown began. */
export type Beginning = 'watching' | 'span'

/** The sums of one check that was down. */
export interface CheckSum {
  readonly check: CheckFacts
  readonly outages: number
  /** At which beginnings it was down already: that time belongs to no outage that is counted. */
  readonly already: readonly Beginning[]
  readonly downMs: number
  /** 0 to 1, of the observed time; undefined when nothing was observed. */
  readonly uptime: number | undefined
}

export interface HistorySum extends TimeSum {
  /** Days, or groups of days when there are more than 20; the first and the last may be partial. */
  readonly parts: readonly (TimeSum & { readonly days: number })[]
  /** Worst first. */
  readonly checks: readonly CheckSum[]
  /** Counted within the observed time, like all other sums. */
  readonly longest: { readonly outage: Outage; readonly ms: number } | undefined
  readonly stillDown: readonly Outage[]
}

/** The most columns of a Slack chart. */
const MOST_PARTS = 20

interface Span {
  readonly from: Date
  readonly to: Date
}

/** Sums up the outages from `from` to `to`. Only observed time counts as up or down. */
export function sumHistory(
  outages: readonly Outage[],
  observed: readonly ObservedInterval[],
  span: Span,
  timeZone: string,
): HistorySum {
  const seen = observed.map((one) => overlap(one, span)).filter((one) => one !== undefined)
  const within = outages.filter(
    ({ startedAt, endedAt }) => startedAt < span.to && !(endedAt && endedAt <= span.from),
  )
  return {
    ...sumOf(within, seen, span),
    parts: partsOf(span, timeZone).map(({ days, ...part }) => ({ days, ...sumOf(within, seen, part) })),
    checks: checkSums(within, seen, span),
    longest: longestOf(within, seen, span),
    stillDown: within.filter(({ endedAt }) => endedAt === undefined),
  }
}

function sumOf(outages: readonly Outage[], seen: readonly Span[], span: Span): TimeSum {
  return {
    ...span,
    observedMs: seen.reduce((sum, one) => sum + lengthOf(overlap(one, span)), 0),
    outages: outages.filter((outage) => beganIn(outage, span)).length,
    downMs: outages.reduce((sum, outage) => sum + downMsIn(outage, seen, span), 0),
  }
}

/** What was down when watching began did not begin in this time. */
const beganIn = ({ startedAt, isBaseline }: Outage, { from, to }: Span): boolean =>
  !isBaseline && startedAt >= from && startedAt < to

function foundBy({ startedAt, isBaseline }: Outage, { from }: Span): Beginning | undefined {
  if (startedAt < from) return 'span'
  return isBaseline ? 'watching' : undefined
}

function downMsIn({ startedAt, endedAt }: Outage, seen: readonly Span[], span: Span): number {
  const down = overlap({ from: startedAt, to: endedAt ?? span.to }, span)
  if (!down) return 0
  let sum = 0
  for (let index = firstBehind(seen, down.from); index < seen.length; index += 1) {
    const shared = lengthOf(overlap(seen[index] ?? down, down))
    if (shared === 0) break
    sum += shared
  }
  return sum
}

/** Finds the first span that ends after a time by bisection: there may be thousands of spans, in order. */
function firstBehind(spans: readonly Span[], at: Date): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    const span = spans[middle]
    if (span && span.to <= at) low = middle + 1
    else high = middle
  }
  return low
}

function checkSums(outages: readonly Outage[], seen: readonly Span[], span: Span): CheckSum[] {
  const observedMs = seen.reduce((sum, one) => sum + lengthOf(one), 0)
  return [...Map.groupBy(outages, ({ check }) => check.uuid).values()]
    .flatMap((own) => {
      // The latest name is the one that people know.
      const check = own.at(-1)?.check
      const downMs = own.reduce((sum, outage) => sum + downMsIn(outage, seen, span), 0)
      const uptime = observedMs > 0 ? Math.max(0, 1 - downMs / observedMs) : undefined
      const begun = own.filter((outage) => beganIn(outage, span)).length
      const already = new Set(own.map((outage) => foundBy(outage, span)).filter((one) => one !== undefined))
      return check ? [{ check, outages: begun, already: [...already], downMs, uptime }] : []
    })
    .sort((left, right) => right.downMs - left.downMs || right.outages - left.outages)
}

function longestOf(outages: readonly Outage[], seen: readonly Span[], span: Span): HistorySum['longest'] {
  const lasted = outages.map((outage) => ({ outage, ms: downMsIn(outage, seen, span) }))
  return lasted.filter(({ ms }) => ms > 0).sort((left, right) => right.ms - left.ms)[0]
}

/** Calendar days of the time zone, up to now; grouped so that there are at most 20 parts. */
function partsOf({ from, to }: Span, timeZone: string): (Span & { days: number })[] {
  const starts: Date[] = []
  const first = wallTimeOf(from, timeZone)
  for (let day = 0; ; day += 1) {
    const start = momentOf({ ...first, day: first.day + day, hour: 0, minute: 0 }, timeZone)
    if (start >= to) break
    starts.push(start)
  }
  const size = Math.ceil(starts.length / MOST_PARTS)
  return starts.flatMap((start, index) => {
    if (index % size !== 0) return []
    const end = starts[index + size] ?? to
    return [{ from: start < from ? from : start, to: end, days: Math.min(size, starts.length - index) }]
  })
}

function overlap(left: Span, right: Span): Span | undefined {
  const from = left.from > right.from ? left.from : right.from
  const to = left.to < right.to ? left.to : right.to
  return from < to ? { from, to } : undefined
}

const lengthOf = (span: Span | undefined): number => (span ? span.to.getTime() - span.from.getTime() : 0)
