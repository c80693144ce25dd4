import type { Environment } from '../../../domain/environment.ts'
import type { CheckFacts, EarlierName, Outage, Span } from '../../../domain/outages/outage.ts'
import { type Planned, plannedFor, without } from './planned.ts'
import { eachInSlices, type Slices } from './slices.ts'

/** The sums of a stretch of time, or of one part of it. */
export interface TimeSum extends Span {
  /** How long the service was asked and answered. */
  readonly observedMs: number
  /** Outages that began in this time, and were not over before the maintenance in which they began. */
  readonly outages: number
  /** How long all checks together were down, within the observed time and outside of maintenance. */
  readonly downMs: number
  /** How long they were down in maintenance: it is counted nowhere else. */
  readonly plannedMs: number
}

/** `watching`: when watching began; `span`: when the time that is shown began. */
export type Beginning = 'watching' | 'span'

/** The sums of one check that was down. */
interface CheckSum {
  readonly check: CheckFacts
  readonly outages: number
  /** At which beginnings it was down already: that time belongs to no outage that is counted. */
  readonly already: readonly Beginning[]
  readonly downMs: number
  /** As of the whole: it is counted nowhere else. */
  readonly plannedMs: number
  /** 0 to 1, of the observed time in which it existed; undefined when that is too short to say. */
  readonly uptime: number | undefined
}

export interface HistorySum<Part extends Span = Span> extends TimeSum {
  /** The sums of each part that was asked for. */
  readonly parts: readonly (Part & TimeSum)[]
  /** The outages that are counted. */
  readonly began: readonly Outage[]
  /** Worst first. */
  readonly checks: readonly CheckSum[]
  /** Counted within the observed time, like all other sums. */
  readonly longest: { readonly outage: Outage; readonly ms: number } | undefined
  readonly stillDown: readonly Outage[]
}

/** What the outages of one check come to so far. */
const nothingOf = (first: Outage) => ({
  first,
  last: first,
  names: [] as EarlierName[],
  already: new Set<Beginning>(),
  outages: 0,
  downMs: 0,
  plannedMs: 0,
})

/** A share of less time than this says nothing about a check. */
const LEAST_OBSERVED_MS = 60_000

/** What is summed up. Of a single check, only the time in which it existed was observed. */
export interface Seen<Part extends Span> {
  /** By start. */
  readonly outages: readonly Outage[]
  /** When the service was asked and answered, by time; none reaches into another, and what happened between two of them nobody saw. */
  readonly observed: readonly Span[]
  readonly span: Span
  readonly parts: readonly Part[]
  readonly only?: CheckFacts | undefined
  /** Maintenance: what is down in it does not count, and its time is not part of any uptime. */
  readonly planned?: readonly Planned[] | undefined
}

/** Sums up the outages of a stretch of time. Only observed time counts as up or down. */
export function* sumHistory<Part extends Span>(seen: Seen<Part>): Slices<HistorySum<Part>> {
  const { span, only } = seen
  const outages = seen.outages.filter(
    ({ startedAt, endedAt }) => startedAt < span.to && !(endedAt && endedAt <= span.from),
  )
  const msIn = observedWithin(seen.observed)
  const plannedOf = plannedByName(seen.planned ?? [])
  const shown = only ? lifeOf(only, outages, span) : span
  const notCounted = only ? plannedOf(only, namesUntil(outages, only)) : []
  const empty = <S extends Span>(of: S) => ({
    ...of,
    observedMs: sumOf(without(overlap(of, shown), notCounted), msIn),
    outages: 0,
    downMs: 0,
    plannedMs: 0,
  })
  const whole = empty(span)
  const parts = seen.parts.map(empty)
  let longest: HistorySum['longest']
  const began: Outage[] = []
  const byCheck = new Map<string, ReturnType<typeof nothingOf>>()
  const add = (outage: Outage): void => {
    const lasted = lastedOf(outage, span)
    const counted = without(lasted, plannedOf(outage.check, outage.earlierNames))
    const ms = sumOf(counted, msIn)
    if (ms > (longest?.ms ?? 0)) longest = { outage, ms }
    const isPlanned = ms === 0 && msIn(lasted) > 0
    const isNewIn = (part: Span): boolean => !isPlanned && beganIn(outage, part)
    const own = byCheck.get(outage.check.uuid) ?? nothingOf(outage)
    byCheck.set(outage.check.uuid, own)
    own.names.push(...namesBetween(own.last, outage), ...(outage.earlierNames ?? []))
    own.last = outage
    own.downMs += ms
    own.plannedMs += msIn(lasted) - ms
    for (const beginning of alreadyAt(outage, span)) own.already.add(beginning)
    if (isNewIn(span)) {
      own.outages += 1
      began.push(outage)
    }
    for (const part of [whole, ...parts]) {
      if (isNewIn(part)) part.outages += 1
      const downMs = sumOf(counted, (one) => msIn(overlap(one, part)))
      part.downMs += downMs
      part.plannedMs += msIn(overlap(lasted, part)) - downMs
    }
  }
  yield* eachInSlices(outages, add, parts.length)
  const checks: CheckSum[] = []
  yield* eachInSlices([...byCheck.values()], ({ first, last, names, already, ...own }) => {
    // The latest name is the one that people know.
    const { check } = last
    const life = lifeOf(check, [first, last], span)
    const observedMs = sumOf(without(life, plannedOf(check, names)), msIn)
    const uptime = uptimeIn({ downMs: own.downMs, observedMs })
    checks.push({ check, ...own, already: [...already], uptime })
  })
  return {
    ...whole,
    parts,
    began,
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

const sumOf = <T>(all: readonly T[], msOf: (one: T) => number): number =>
  all.reduce((sum, one) => sum + msOf(one), 0)

/** Maintenance by a pattern covers a check only while it had such a name. */
function plannedByName(planned: readonly Planned[]) {
  const plannedOf = plannedFor(planned)
  return (check: CheckFacts, earlier: readonly EarlierName[] = []): readonly Span[] => {
    if (earlier.length === 0) return plannedOf(check)
    let from = new Date(0)
    return [...earlier, { name: check.name, until: FOR_EVER }].flatMap(({ name, until }) => {
      const had = { from, to: until }
      from = until
      return plannedOf({ ...check, name }).flatMap((one) => {
        const both = overlap(one, had)
        return both.to > both.from ? [both] : []
      })
    })
  }
}
const FOR_EVER = new Date(8.64e15)

const firstName = ({ check, earlierNames: [first] = [] }: Outage): string => first?.name ?? check.name

/** A check that was renamed while it was up had its old name until it went down again, as far as is known. */
const namesBetween = (before: Outage, next: Outage): EarlierName[] =>
  before !== next && before.check.name !== firstName(next)
    ? [{ name: before.check.name, until: next.startedAt }]
    : []

/** What a check was called before it had the name that it has now. */
function namesUntil(outages: readonly Outage[], { name }: CheckFacts): EarlierName[] {
  const names = outages.flatMap((outage, nth) => [
    ...namesBetween(outages[nth - 1] ?? outage, outage),
    ...(outage.earlierNames ?? []),
  ])
  const last = outages.at(-1)
  if (!last || last.check.name === name) return names
  return [...names, { name: last.check.name, until: last.endedAt ?? last.startedAt }]
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

function alreadyAt({ startedAt, isBaseline }: Outage, { from }: Span): Beginning[] {
  if (startedAt < from) return ['span']
  return isBaseline ? ['watching'] : []
}

/** Tells how much of a stretch of time was observed, by bisection: there may be thousands of intervals. */
export function observedWithin(observed: readonly Span[]): (span: Span) => number {
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

/** A day in one channel and environment. */
export interface DigestModel extends HistorySum {
  readonly environment: Environment
  readonly timeZone: string
}
