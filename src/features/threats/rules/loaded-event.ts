import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ShownEvent } from './shown-event.ts'

/** An event as read from the service, and what each audience may see of it. */
export interface LoadedEvent {
  /** Includes the domain owner's personal data. */
  fullEvent: ThreatEvent
  forMembers: ShownEvent
  /** For guests and channels. */
  facts: ShownEvent
  readAt: Date
}

/** The part of an event that is stored, encrypted, to show it in lists. */
export interface EventSummary {
  domain: string
  verdict: string
}

/** An event that a search found. */
export interface FoundEvent extends EventSummary {
  eventId: string
  readAt: Date
}

/** Found events are counted up to this number. */
export const MAX_COUNTED_EVENTS = 1000
