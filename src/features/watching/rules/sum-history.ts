import type { CheckFacts, EarlierName, Outage, Span } from '../../../domain/outages/outage.ts'
import { createMaintenanceLookup, type MaintenanceSpan, subtractSpans } from './maintenance-spans.ts'
import { eachInSlices, type Slices } from './slices.ts'

/** The totals of a period, or of a part of it. */
export interface PeriodTotals extends Span {
  /** How long the service was polled successfully. */
  readonly observedMs: number
  /** Outages that began in this period, except those entirely within maintenance. */
  readonly outages: number
  /** Total downtime of all checks, within observed time and outside maintenance. */
  readonly downMs: number
  /** Downtime during maintenance, which isn't counted anywhere else. */
  readonly plannedMs: number
}

/** `watching`: when watching began. `span`: when the period began. */
export type Beginning = 'watching' | 'span'

/** The totals of a check that was down. */
interface CheckTotals {
  readonly check: CheckFacts
  readonly outages: number
  /** Whether it was already down when watching or the period began. Such outages aren't counted. */
  readonly alreadyDownAt: readonly Beginning[]
  readonly downMs: number
  /** Downtime during maintenance, which isn't counted anywhere else. */
  readonly plannedMs: number
  /** The share of time it was up, from 0 to 1, while it existed and was observed. Undefined if that was too short. */
  readonly uptime: number | undefined
}

export interface HistoryTotals<Part extends Span = Span> extends PeriodTotals {
  /** The totals of each part of the period. */
  readonly parts: readonly (Part & PeriodTotals)[]
  /** Longest downtime first. */
  readonly checks: readonly CheckTotals[]
  /** The longest outage, counting only observed time. */
  readonly longest: { readonly outage: Outage; readonly ms: number } | undefined
  /** Those whose checks were down when the period ended. */
  readonly stillDown: readonly Outage[]
}

/** Starts the running totals of a check. */
const startCheckTotals = (first: Outage) => ({
  first,
  last: first,
  names: [] as EarlierName[],
  alreadyDownAt: new Set<Beginning>(),
  outages: 0,
  downMs: 0,
  plannedMs: 0,
})

/** Uptime isn't computed from less observed time than this. */
const MIN_OBSERVED_MS = 60_000

/** The input to `sumHistory`. */
export interface HistoryInput<Part extends Span> {
  /** Sorted by start. */
  readonly outages: readonly Outage[]
  /** When the service was polled successfully: sorted, without overlaps. */
  readonly observed: readonly Span[]
  readonly span: Span
  readonly parts: readonly Part[]
  /** Set to sum up a single check. Then only the time in which it existed counts. */
  readonly check?: CheckFacts | undefined
  /** When that check was deleted. */
  readonly deletedAt?: Date | undefined
  /** Maintenance, whose time and downtime don't count. */
  readonly planned?: readonly MaintenanceSpan[] | undefined
}

/** Sums up the outages of a period. Only observed time counts as up or down. */
export function* sumHistory<Part extends Span>(input: HistoryInput<Part>): Slices<HistoryTotals<Part>> {
  const { span, check: singleCheck } = input
  const outages = input.outages.filter(
    ({ startedAt, endedAt }) => startedAt < span.to && !(endedAt && endedAt <= span.from),
  )
  const measureObserved = createObservedMeter(input.observed)
  const findMaintenance = createMaintenanceLookupByName(input.planned ?? [])
  const measuredSpan = singleCheck ? getLifetime(singleCheck, outages, span, input.deletedAt) : span
  const maintenance = singleCheck ? findMaintenance(singleCheck, listEarlierNames(outages, singleCheck)) : []
  const createEmptySum = <S extends Span>(part: S) => ({
    ...part,
    observedMs: sumBy(subtractSpans(intersectSpans(part, measuredSpan), maintenance), measureObserved),
    outages: 0,
    downMs: 0,
    plannedMs: 0,
  })
  const total = createEmptySum(span)
  const parts = input.parts.map(createEmptySum)
  let longest: HistoryTotals['longest']
  const byCheck = new Map<string, ReturnType<typeof startCheckTotals>>()
  const addOutage = (outage: Outage): void => {
    const downSpans = listDownSpans(outage, span)
    const maintenance = findMaintenance(outage.check, outage.earlierNames)
    const countedSpans = downSpans.flatMap((downSpan) => subtractSpans(downSpan, maintenance))
    const downMs = sumBy(downSpans, measureObserved)
    const countedMs = sumBy(countedSpans, measureObserved)
    if (countedMs > (longest?.ms ?? 0)) longest = { outage, ms: countedMs }
    const isOnlyInMaintenance = countedMs === 0 && downMs > 0
    const isNewIn = (part: Span): boolean => !isOnlyInMaintenance && hasStartedWithin(outage, part)
    const checkTotals = byCheck.get(outage.check.uuid) ?? startCheckTotals(outage)
    byCheck.set(outage.check.uuid, checkTotals)
    checkTotals.names.push(...listNameChange(checkTotals.last, outage), ...(outage.earlierNames ?? []))
    checkTotals.last = outage
    checkTotals.downMs += countedMs
    checkTotals.plannedMs += downMs - countedMs
    for (const beginning of listBeginningsWhenDown(outage, span)) checkTotals.alreadyDownAt.add(beginning)
    if (isNewIn(span)) checkTotals.outages += 1
    for (const part of [total, ...parts]) {
      if (isNewIn(part)) part.outages += 1
      const measureIn = (spans: readonly Span[]): number =>
        sumBy(spans, (one) => measureObserved(intersectSpans(one, part)))
      const countedInPart = measureIn(countedSpans)
      part.downMs += countedInPart
      part.plannedMs += measureIn(downSpans) - countedInPart
    }
  }
  yield* eachInSlices(outages, addOutage, parts.length)
  const checks: CheckTotals[] = []
  yield* eachInSlices([...byCheck.values()], ({ first, last, names, alreadyDownAt, ...totals }) => {
    // The check is shown with its latest name.
    const { check } = last
    const lifetime = getLifetime(check, [first, last], span)
    const observedMs = sumBy(subtractSpans(lifetime, findMaintenance(check, names)), measureObserved)
    const uptime = getUptime({ downMs: totals.downMs, observedMs })
    checks.push({ check, ...totals, alreadyDownAt: [...alreadyDownAt], uptime })
  })
  return {
    ...total,
    parts,
    checks: checks.sort((left, right) => right.downMs - left.downMs || right.outages - left.outages),
    longest,
    stillDown: outages.filter(({ downs }) =>
      downs.some(({ from, to }) => from < span.to && (!to || to > span.to)),
    ),
  }
}

/** The share of observed time up, from 0 to 1; undefined if too little was observed. */
export const getUptime = ({
  downMs,
  observedMs,
}: Pick<PeriodTotals, 'downMs' | 'observedMs'>): number | undefined =>
  observedMs < MIN_OBSERVED_MS ? undefined : Math.max(0, 1 - downMs / observedMs)

const sumBy = <T>(items: readonly T[], getMs: (item: T) => number): number =>
  items.reduce((sum, item) => sum + getMs(item), 0)

/** Looks up the maintenance of a check that was renamed. Maintenance of a name pattern covers it only while its name matched. */
function createMaintenanceLookupByName(planned: readonly MaintenanceSpan[]) {
  const findPlanned = createMaintenanceLookup(planned)
  return (check: CheckFacts, earlier: readonly EarlierName[] = []): readonly Span[] => {
    if (earlier.length === 0) return findPlanned(check)
    let from = new Date(0)
    return [...earlier, { name: check.name, until: END_OF_TIME }].flatMap(({ name, until }) => {
      const nameSpan = { from, to: until }
      from = until
      return findPlanned({ ...check, name }).flatMap((span) => {
        const overlap = intersectSpans(span, nameSpan)
        return overlap.to > overlap.from ? [overlap] : []
      })
    })
  }
}
const END_OF_TIME = new Date(8.64e15)

const getNameAtStart = ({ check, earlierNames: [first] = [] }: Outage): string => first?.name ?? check.name

/** The rename of a check between two outages, dated at the later outage. */
const listNameChange = (before: Outage, next: Outage): EarlierName[] =>
  before !== next && before.check.name !== getNameAtStart(next)
    ? [{ name: before.check.name, until: next.startedAt }]
    : []

/** The names a check had before its current one. */
function listEarlierNames(outages: readonly Outage[], { name }: CheckFacts): EarlierName[] {
  const names = outages.flatMap((outage, index) => [
    ...listNameChange(outages[index - 1] ?? outage, outage),
    ...(outage.earlierNames ?? []),
  ])
  const last = outages.at(-1)
  if (!last || last.check.name === name) return names
  return [...names, { name: last.check.name, until: last.endedAt ?? last.startedAt }]
}

/** When the check existed. It can't have been up before it was created. */
function getLifetime({ madeAt }: CheckFacts, outages: readonly Outage[], span: Span, deletedAt?: Date): Span {
  const last = outages.at(-1)
  const to = deletedAt ?? (last?.ending === 'deleted' ? (last.endedAt ?? span.to) : span.to)
  if (madeAt === undefined) return intersectSpans(span, { from: span.from, to })
  // Clocks differ: it may have been down before the service says it was created.
  const from = Math.min(Date.parse(madeAt), outages[0]?.startedAt.getTime() ?? Number.POSITIVE_INFINITY)
  return intersectSpans(span, { from: new Date(from), to })
}

const listDownSpans = ({ downs }: Outage, span: Span): Span[] =>
  downs
    .map(({ from, to = span.to }) => intersectSpans({ from, to }, span))
    .filter(({ from, to }) => to > from)

/** An outage that was open when watching began may have started before the period, so it doesn't count. */
const hasStartedWithin = ({ startedAt, isBaseline }: Outage, { from, to }: Span): boolean =>
  !isBaseline && startedAt >= from && startedAt < to

function listBeginningsWhenDown({ startedAt, isBaseline }: Outage, { from }: Span): Beginning[] {
  if (startedAt < from) return ['span']
  return isBaseline ? ['watching'] : []
}

/** Measures how much of a period was observed. Uses binary search, because there can be thousands of intervals. */
function createObservedMeter(observed: readonly Span[]): (span: Span) => number {
  let sum = 0
  const ends = observed.map(({ from, to }) => {
    sum += to.getTime() - from.getTime()
    return { to: to.getTime(), sum }
  })
  /** How much was observed before a time. */
  const measureBefore = (time: number): number => {
    let low = 0
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.to ?? time) < time) low = middle + 1
      else high = middle
    }
    const partialMs = Math.max(0, time - (observed[low]?.from.getTime() ?? time))
    return (ends[low - 1]?.sum ?? 0) + partialMs
  }
  return ({ from, to }) => Math.max(0, measureBefore(to.getTime()) - measureBefore(from.getTime()))
}

/** The intersection of two spans; empty if there is none. */
function intersectSpans(left: Span, right: Span): Span {
  const from = left.from > right.from ? left.from : right.from
  const to = left.to < right.to ? left.to : right.to
  return { from, to: to > from ? to : from }
}
