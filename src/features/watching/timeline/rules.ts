import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { CardWithIncidents } from '../rules/card.ts'
import type { IncidentEvent } from '../rules/incident.ts'

/** A message with everything that happened to its incidents. */
export interface CardHistory extends CardWithIncidents {
  readonly events: readonly IncidentEvent[]
}

export interface TimelineEvent extends IncidentEvent {
  /** The checks that it is about. */
  readonly checks: readonly CheckFacts[]
  /** True if the check was down before watching began. */
  readonly isBaseline: boolean
}

/** Lists the events of a message's incidents, oldest first. One message or press is one event, whatever it was about. */
export function listTimelineEvents({ card, incidents, events }: CardHistory): TimelineEvent[] {
  const channelId = card.page?.originId ?? card.channelId
  const byId = new Map(incidents.map((incident) => [incident.id, incident]))
  const shown = events.filter((event) => event.kind !== 'posted' || event.channelId === channelId)
  const groupKey = ({ kind, at, cardId, incidentId, details }: IncidentEvent): string => {
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
      const isFirstFall = first.kind === 'down' && about[0]?.openedAt.getTime() === first.at.getTime()
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
