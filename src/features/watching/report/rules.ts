import type { CheckFacts, Outage, Span } from '../../../domain/outages/outage.ts'
import { type Planned, without } from '../maintenance/rules.ts'
import type { CardWithOutages, StillDownReason } from '../rules/card.ts'
import { type DetailLine, linesOf, takingOf } from '../rules/describe-card.ts'
import { eachInSlices, type Slices, sortedInSlices } from '../rules/slices.ts'
import { muteMatcher } from '../rules/subjects.ts'
import { type Seen, sumHistory } from '../rules/sum-history.ts'
import type { MuteSubject } from '../rules/watch.ts'

/** A card with what was written beside it. */
export interface ReportedCard extends CardWithOutages {
  /** When its message came into the channel; undefined for one that Slack has not taken. */
  readonly postedAt: Date | undefined
  readonly calls: readonly { readonly at: Date; readonly names: string }[]
}

/** What happened, as it was written down: nothing else stands in a report. */
export interface ReportEvent extends Omit<DetailLine, 'what'> {
  readonly what: DetailLine['what'] | 'told' | 'retold' | 'called'
  /** Who was called. */
  readonly names?: string | undefined
  /** How many checks were told of, and why once more. */
  readonly many?: number | undefined
  readonly reason?: StillDownReason | undefined
}

/** What was muted; without an end while nobody has ended it. */
export type Muted = Pick<Planned, 'about' | 'from'> & { readonly to?: Date | undefined }

export type Report = ReturnType<typeof reportOf> extends Slices<infer Made> ? Made : never

/** What a report is made of. What was looked at is of the longer time. */
export interface Reported extends Pick<Seen<Span>, 'span' | 'observed' | 'planned' | 'statuses'> {
  readonly uptimeSpan: Span
  /** Also those that told once more of what was down already. */
  readonly cards: readonly ReportedCard[]
  /** The one of them that is reported of, where it is one: all that is written on it belongs to the report. */
  readonly own?: ReportedCard | undefined
  readonly muted: readonly Muted[]
  /** All that fell in that time, by start. */
  readonly outages: readonly Outage[]
  /** The same over the longer time. */
  readonly before: readonly Outage[]
  /** Whether maintenance of this is about anything that is reported of. */
  readonly concerns: (about: MuteSubject) => boolean
  readonly isCut: boolean
  /** Whether what is not watched here is left out. */
  readonly isOfWatched: boolean
}

/** Between two polls nobody looks either: that is no gap. */
const SHORTEST_GAP_MS = 60_000

export function* reportOf(reported: Reported) {
  const {
    span,
    uptimeSpan,
    cards,
    own,
    outages,
    before,
    observed,
    planned = [],
    concerns,
    isCut,
    statuses,
  } = reported
  const summed = (of: Span, all: readonly Outage[]) =>
    sumHistory({ outages: all, observed, planned, statuses, span: of, parts: [] })
  const told = new Set(cards.flatMap((one) => one.outages.map(({ id }) => id)))
  const inside = ({ from, to }: Span): boolean => from < span.to && to > span.from
  const sum = yield* summed(span, outages)
  return {
    span,
    /** Of that time: what counts, by the one summation of history. */
    sum,
    /** Of the checks that fell, over a longer time where one card alone is told of. */
    uptimes: yield* summed(uptimeSpan, before),
    /** First to last. */
    events: yield* eventsOf(outages, cards, own, span),
    /** When the service was not asked, or did not answer: what happened then nobody saw. */
    gaps: without(span, observed).filter(({ from, to }) => to.getTime() - from.getTime() >= SHORTEST_GAP_MS),
    /** Maintenance of what is reported of that reached into that time, and mutes. */
    planned: planned.filter((one) => inside(one) && concerns(one.about)),
    muted: reported.muted.filter(({ about }) => concerns(about)),
    /** Of the outages that are counted, those of which no card here tells. */
    untold: sum.began.filter(({ id }) => !told.has(id)).length,
    /** True when there were more outages than are read at once. */
    isCut,
    isOfWatched: reported.isOfWatched,
  }
}

function* eventsOf(
  outages: readonly Outage[],
  cards: readonly ReportedCard[],
  own: ReportedCard | undefined,
  span: Span,
): Slices<readonly ReportEvent[]> {
  const events: ReportEvent[] = []
  const add = (event: ReportEvent, isOfOwn = false): void => {
    if (isOfOwn || (event.at >= span.from && event.at <= span.to)) events.push(event)
  }
  yield* eachInSlices(outages, (outage) => {
    for (const line of linesOf(outage)) add(line)
  })
  // One person takes the same on all cards that tell of it at once.
  const takingsOf = (some: readonly ReportedCard[]) =>
    new Map(some.flatMap(({ card }) => card.takings ?? []).map((one) => [JSON.stringify(one), one]))
  const ofOwn = takingsOf(own ? [own] : [])
  for (const [key, one] of takingsOf(cards)) add(takingOf(one), ofOwn.has(key))
  for (const one of cards) {
    const { card, postedAt, outages: all, calls } = one
    // Of a card that sums up what is still down it says why.
    const retold = { what: 'retold', reason: card.reason as StillDownReason, many: all.length } as const
    const first = checksOf(all.filter(({ startedAt }) => !postedAt || startedAt <= postedAt))
    const many = first.length
    const told = card.kind === 'still-down' ? retold : ({ what: 'told', check: all[0]?.check, many } as const)
    if (postedAt) add({ at: postedAt, ...told }, one === own)
    for (const { at, names } of calls) add({ at, what: 'called', names }, one === own)
  }
  return yield* sortedInSlices(events, (left, right) => left.at.getTime() - right.at.getTime())
}

/** From the first that fell to the last that came back. */
export function spanOf({ outages }: CardWithOutages, now: Date): Span {
  const from = outages[0]?.startedAt ?? now
  const isOver = outages.every(({ endedAt }) => endedAt)
  const to = isOver
    ? outages.map(({ endedAt }) => endedAt ?? now).reduce((a, b) => (a > b ? a : b), from)
    : now
  return { from, to }
}

/** By their newest names. */
export const checksOf = (outages: readonly Outage[]): readonly CheckFacts[] => [
  ...new Map(outages.map(({ check }) => [check.uuid, check])).values(),
]

/** Tells of maintenance whether any of these checks was in it. */
export const concerning =
  (outages: readonly Outage[]) =>
  (about: MuteSubject): boolean => {
    const covers = muteMatcher(about)
    return outages.some(({ check }) => covers(check))
  }
