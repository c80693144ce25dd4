import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { CardWithIncidents } from '../rules/card.ts'
import type { PostReason } from '../rules/incident.ts'

/** A stored event of an incident, as far as the timeline shows it. */
interface StoredEvent {
  readonly incidentId: string
  readonly at: Date
  readonly kind: 'down' | 'up' | 'over' | 'renamed' | 'posted' | 'paged' | 'took' | 'stepped-down' | 'left'
  readonly channelId?: string | undefined
  readonly cardId?: string | undefined
  readonly details?:
    | {
        readonly ending?: string | undefined
        readonly before?: string | undefined
        readonly reason?: PostReason | 'added' | undefined
        readonly names?: string | undefined
        readonly byName?: string | undefined
        readonly from?: string | undefined
      }
    | undefined
}

/** A message with everything that happened to its incidents. */
export interface CardHistory extends CardWithIncidents {
  readonly events: readonly StoredEvent[]
}

export interface TimelineEvent extends StoredEvent {
  /** The checks that it is about. */
  readonly checks: readonly CheckFacts[]
  /** True if the check was down before watching began. */
  readonly isBaseline: boolean
}

/** Lists the events of a message's incidents, oldest first. One message or press is one event, whatever it was about. */
export function listTimelineEvents({ card, incidents, events }: CardHistory): TimelineEvent[] {
  const channelId = card.page?.originId ?? card.channelId
  const byId = new Map(incidents.map((incident) => [incident.id, incident]))
  const shown = events.filter(
    (event) =>
      (event.kind !== 'posted' && event.kind !== 'paged') ||
      event.channelId === undefined ||
      event.kind === 'paged' ||
      event.channelId === channelId,
  )
  const groupKey = ({ kind, at, cardId, incidentId, details }: StoredEvent): string => {
    if (kind === 'posted' || kind === 'paged') return `${kind} ${cardId} ${details?.reason}`
    if (kind === 'took' || kind === 'stepped-down' || kind === 'left')
      return `${kind} ${at.toISOString()} ${details?.byName}`
    return `${kind} ${at.toISOString()} ${incidentId}`
  }
  return [...Map.groupBy(shown, groupKey).values()]
    .flatMap((together): TimelineEvent[] => {
      const [first] = together
      if (!first) return []
      const about = together.flatMap(({ incidentId }) => byId.get(incidentId) ?? [])
      const isFirstFall = first.kind === 'down' && about[0]?.opened.at.getTime() === first.at.getTime()
      return [
        {
          ...first,
          checks: about.map(({ check }) => check),
          isBaseline: isFirstFall && about[0]?.isBaseline === true,
        },
      ]
    })
    .sort((left, right) => left.at.getTime() - right.at.getTime())
}
