import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ShownEvent } from './shown-event.ts'

/** An event as the service returned it at some time. */
export interface Reading {
  /** Includes the domain owner's personal data. */
  fullEvent: ThreatEvent
  forMembers: ShownEvent
  /** For guests and channels. */
  facts: ShownEvent
  readAt: Date
}

/** What is stored of an event, encrypted: enough to recognize it in a list. */
export interface StoredEvent {
  domain: string
  verdict: string
}

export interface FoundEvent extends StoredEvent {
  eventId: string
  readAt: Date
}

/** The limit of counting found events. */
export const MOST_FOUND = 1000
