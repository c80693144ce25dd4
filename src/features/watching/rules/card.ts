import type { Environment } from '../../../domain/environment.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Incident, IncidentMessage } from './incident.ts'

/** `card` and `page` are about incidents. */
export type MessageKind = IncidentMessage['kind'] | 'maintenance'

/** One stored message of a channel. */
export interface CardState
  extends Omit<IncidentMessage, 'kind' | 'at' | 'clockMs' | 'attempted' | 'shownVersion'> {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly environment: Environment
  readonly kind: MessageKind
  readonly openedAt: Date
  readonly changedAt: Date
  /** The maintenance window that it announces. */
  readonly maintenanceId?: string | undefined
}

/** Identifies a message. Finds it again if Slack didn't confirm the post. */
export const postKey = (cardId: string): string => `watch card ${cardId}`

/** An incident on a message. */
export interface ListedIncident extends Incident {
  readonly isSilenced: boolean
}

/** A message with its incidents, oldest first. */
export interface CardWithIncidents {
  readonly card: CardState
  /** The version of the card. */
  readonly version: number
  readonly incidents: readonly ListedIncident[]
  /** The newer cards to which incidents moved, with their messages if they are posted. */
  readonly movedTo: readonly {
    readonly channelId: string
    readonly ts: string | undefined
    readonly count: number
  }[]
  readonly unseen?: Unseen | undefined
}
