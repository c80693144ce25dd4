import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ShownEvent } from './shown-event.ts'

/** An event as read from the service, with the versions for each audience. */
export interface Reading {
  /** Includes the domain owner's personal data. */
  fullEvent: ThreatEvent
  forMembers: ShownEvent
  /** For guests and channels. */
  facts: ShownEvent
  readAt: Date
}

/** The stored part of an event, encrypted: enough to recognize it in a list. */
export interface StoredEvent {
  domain: string
  verdict: string
}

export interface FoundEvent extends StoredEvent {
  eventId: string
  readAt: Date
}

/** Found events are counted up to this number. */
export const MAX_COUNTED_EVENTS = 1000
