import type { CheckFacts, OnItChange, Outage } from '../../../domain/outages/outage.ts'
import type { CardReason } from '../rules/alert.ts'
import type { CardWithOutages } from '../rules/card.ts'
import { listEvents, type OutageEvent, toOnItEvent } from '../rules/describe-card.ts'

export type PostReason = CardReason | 'reminder'

/** A card, the channel's posts about the same outages, and who was paged. */
export interface CardHistory extends CardWithOutages {
  readonly posts: readonly Post[]
  readonly calls: readonly { readonly at: Date; readonly names: string }[]
}

interface Post {
  readonly at: Date
  readonly reason: PostReason
}

export type TimelineEvent =
  | OutageEvent
  | { readonly at: Date; readonly kind: 'posted'; readonly reason: PostReason }
  | { readonly at: Date; readonly kind: 'called'; readonly names: string }
  /** Checks that were already down when watching began. */
  | { readonly at: Date; readonly kind: 'down-before'; readonly checks: readonly CheckFacts[] }

/** Lists the events of a card's outages, oldest first. */
export function listTimelineEvents({ outages, posts, calls }: CardHistory): TimelineEvent[] {
  const baselineOutages = outages.filter(({ isBaseline }) => isBaseline)
  const newOutages = outages.filter(({ isBaseline }) => !isBaseline)
  const baselineStarts = baselineOutages
    .map(({ startedAt }) => startedAt)
    .sort((left, right) => left.getTime() - right.getTime())
  const events: TimelineEvent[] = [
    ...(baselineStarts[0]
      ? [
          {
            at: baselineStarts[0],
            kind: 'down-before',
            checks: baselineOutages.map(({ check }) => check),
          } as const,
        ]
      : []),
    ...baselineOutages.flatMap((outage) => listEvents(outage).filter(({ kind }) => kind !== 'already')),
    ...newOutages.flatMap(listEvents),
    ...listOnItChanges(outages).map(toOnItEvent),
    ...posts.map((post) => ({ ...post, kind: 'posted' }) as const),
    ...calls.map((call) => ({ ...call, kind: 'called' }) as const),
  ]
  return events.sort((left, right) => left.at.getTime() - right.at.getTime())
}

/** Lists each acknowledgment change once. A button press is stored with every outage that it covers. */
const listOnItChanges = (outages: readonly Outage[]): readonly OnItChange[] => [
  ...new Map(
    outages
      .flatMap(({ onItChanges = [] }) => onItChanges)
      .map((change) => [`${change.at.toISOString()} ${change.by} ${change.kind}`, change]),
  ).values(),
]

/** The checks of these outages, with their latest names. */
export const listChecks = (outages: readonly Outage[]): readonly CheckFacts[] => [
  ...new Map(outages.map(({ check }) => [check.uuid, check])).values(),
]
