import type { CheckFacts, ObservedInterval, Outage } from '../../../domain/outages/outage.ts'
import { eachInSlices, type Slices } from './slices.ts'

export interface Span {
  readonly from: Date
  readonly to: Date
}

/** The sums of a stretch of time, or of one part of it. */
export interface TimeSum extends Span {
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
  /** 0 to 1, of the observed time in which it existed; undefined when that is too short to say. */
  readonly uptime: number | undefined
}

export interface HistorySum<Part extends Span = Span> extends TimeSum {
  /** The sums of each part that was asked for. */
  readonly parts: readonly (Part & TimeSum)[]
  /** Worst first. */
  readonly checks: readonly CheckSum[]
  /** Counted within the observed time, like all other sums. */
  readonly longest: { readonly outage: Outage; readonly ms: number } | undefined
  readonly stillDown: readonly Outage[]
}

/** A share of less time than this says nothing about a check. */
const LEAST_OBSERVED_MS = 60_000

/** What is summed up. Of a single check, only the time in which it existed was observed. */
export interface Seen<Part extends Span> {
  /** By start. */
  readonly outages: readonly Outage[]
  /** By time, and none reaches into another. */
  readonly observed: readonly ObservedInterval[]
  readonly span: Span
  readonly parts: readonly Part[]
  readonly only?: CheckFacts | undefined
}

/** Sums up the outages of a stretch of time. Only observed time counts as up or down. */
export function* sumHistory<Part extends Span>(seen: Seen<Part>): Slices<HistorySum<Part>> {
  const { span, only } = seen
  const outages = seen.outages.filter(
    ({ startedAt, endedAt }) => startedAt < span.to && !(endedAt && endedAt <= span.from),
  )
  const msIn = observedWithin(seen.observed)
  const shown = only ? lifeOf(only, outages, span) : span
  const empty = <S extends Span>(of: S) => ({
    ...of,
    observedMs: msIn(overlap(of, shown)),
    outages: 0,
    downMs: 0,
  })
  const whole = empty(span)
  const parts = seen.parts.map(empty)
  let longest: HistorySum['longest']
  yield* eachInSlices(outages, (outage) => {
    const lasted = lastedOf(outage, span)
    const ms = msIn(lasted)
    if (ms > (longest?.ms ?? 0)) longest = { outage, ms }
    for (const part of [whole, ...parts]) {
      if (beganIn(outage, part)) part.outages += 1
      part.downMs += msIn(overlap(lasted, part))
    }
  })
  const checks: CheckSum[] = []
  const byCheck = [...Map.groupBy(outages, ({ check }) => check.uuid).values()]
  yield* eachInSlices(byCheck, (own) => {
    // The latest name is the one that people know.
    const check = own.at(-1)?.check
    if (check) checks.push(sumOfCheck(check, own, span, msIn))
  })
  return {
    ...whole,
    parts,
    checks: checks.sort((left, right) => right.downMs - left.downMs || right.outages - left.outages),
    longest,
    stillDown: outages.filter(({ endedAt }) => !endedAt || endedAt > span.to),
  }
}

/** From 0 to 1, over the time that was observed and nothing else; undefined where that is too short to say. */
export const uptimeIn = ({
  downMs,
  observedMs,
}: Pick<TimeSum, 'downMs' | 'observedMs'>): number | undefined =>
  observedMs < LEAST_OBSERVED_MS ? undefined : Math.max(0, 1 - downMs / observedMs)

function sumOfCheck(
  check: CheckFacts,
  own: readonly Outage[],
  span: Span,
  msIn: (part: Span) => number,
): CheckSum {
  const downMs = own.reduce((sum, outage) => sum + msIn(lastedOf(outage, span)), 0)
  const observedMs = msIn(lifeOf(check, own, span))
  const already = new Set(own.flatMap((outage) => alreadyAt(outage, span) ?? []))
  return {
    check,
    outages: own.filter((outage) => beganIn(outage, span)).length,
    already: [...already],
    downMs,
    uptime: uptimeIn({ downMs, observedMs }),
  }
}

/** When the check existed, as far as is known: nobody could see it up before. */
function lifeOf({ madeAt }: CheckFacts, own: readonly Outage[], span: Span): Span {
  const last = own.at(-1)
  const to = last?.ending === 'deleted' ? (last.endedAt ?? span.to) : span.to
  if (madeAt === undefined) return overlap(span, { from: span.from, to })
  // By this clock it may have been down before it was made by the service's.
  const from = Math.min(Date.parse(madeAt), own[0]?.startedAt.getTime() ?? Number.POSITIVE_INFINITY)
  return overlap(span, { from: new Date(from), to })
}

const lastedOf = ({ startedAt, endedAt }: Outage, span: Span): Span =>
  overlap({ from: startedAt, to: endedAt ?? span.to }, span)

/** What was down when watching began did not begin in this time. */
const beganIn = ({ startedAt, isBaseline }: Outage, { from, to }: Span): boolean =>
  !isBaseline && startedAt >= from && startedAt < to

function alreadyAt({ startedAt, isBaseline }: Outage, { from }: Span): Beginning | undefined {
  if (startedAt < from) return 'span'
  return isBaseline ? 'watching' : undefined
}

/** Tells how much of a stretch of time was observed, by bisection: there may be thousands of intervals. */
export function observedWithin(observed: readonly ObservedInterval[]): (span: Span) => number {
  let sum = 0
  const ends = observed.map(({ from, to }) => {
    sum += to.getTime() - from.getTime()
    return { to: to.getTime(), sum }
  })
  /** How much was observed before a time. */
  const before = (time: number): number => {
    let low = 0
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.to ?? time) < time) low = middle + 1
      else high = middle
    }
    const begun = Math.max(0, time - (observed[low]?.from.getTime() ?? time))
    return (ends[low - 1]?.sum ?? 0) + begun
  }
  return ({ from, to }) => Math.max(0, before(to.getTime()) - before(from.getTime()))
}

/** What two stretches of time share; one of no length where that is nothing. */
function overlap(left: Span, right: Span): Span {
  const from = left.from > right.from ? left.from : right.from
  const to = left.to < right.to ? left.to : right.to
  return { from, to: to > from ? to : from }
}
