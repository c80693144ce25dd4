import type { CheckFacts, Outage, Taking } from '../../../domain/outages/outage.ts'
import type { CardReason } from '../rules/alert.ts'
import type { CardWithOutages } from '../rules/card.ts'
import { type DetailLine, linesOf, takingLine } from '../rules/describe-card.ts'

export type PostReason = CardReason | 'reminder'

/** A card, the other cards of its channel about the same outages, and who was called. */
export interface CardHistory extends CardWithOutages {
  readonly posts: readonly Post[]
  readonly calls: readonly { readonly at: Date; readonly names: string }[]
}

interface Post {
  readonly at: Date
  readonly reason: PostReason
}

export type TimelineEvent =
  | DetailLine
  | { readonly at: Date; readonly what: 'posted'; readonly reason: PostReason }
  | { readonly at: Date; readonly what: 'called'; readonly names: string }
  /** Was down when watching began, which is when that was seen. */
  | { readonly at: Date; readonly what: 'down-before'; readonly checks: readonly CheckFacts[] }

/** What happened to the outages of a card, first to last. */
export function timelineEvents({ outages, posts, calls }: CardHistory): TimelineEvent[] {
  const [before, after] = [
    outages.filter(({ isBaseline }) => isBaseline),
    outages.filter(({ isBaseline }) => !isBaseline),
  ]
  const seen = before
    .map(({ startedAt }) => startedAt)
    .sort((left, right) => left.getTime() - right.getTime())
  const events: TimelineEvent[] = [
    ...(seen[0]
      ? [{ at: seen[0], what: 'down-before', checks: before.map(({ check }) => check) } as const]
      : []),
    ...before.flatMap((outage) => linesOf(outage).filter(({ what }) => what !== 'already')),
    ...after.flatMap(linesOf),
    ...takingsOf(outages).map(takingLine),
    ...posts.map((post) => ({ ...post, what: 'posted' }) as const),
    ...calls.map((call) => ({ ...call, what: 'called' }) as const),
  ]
  return events.sort((left, right) => left.at.getTime() - right.at.getTime())
}

/** One press is about many outages. */
const takingsOf = (outages: readonly Outage[]): readonly Taking[] => [
  ...new Map(
    outages
      .flatMap(({ takings = [] }) => takings)
      .map((one) => [`${one.at.toISOString()} ${one.by} ${one.what}`, one]),
  ).values(),
]

/** By their newest names. */
export const checksOf = (outages: readonly Outage[]): readonly CheckFacts[] => [
  ...new Map(outages.map(({ check }) => [check.uuid, check])).values(),
]
