import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ShownEvent } from './shown-event.ts'

/** An event as the service had it at a time. */
export interface Reading {
  /** With the personal data of the domain's owner. */
  fullEvent: ThreatEvent
  forMembers: ShownEvent
  /** For guests, and for channels. */
  facts: ShownEvent
  readAt: Date
}

/** What is remembered of an event, sealed: enough to recognize it in a list. */
export interface Remembered {
  domain: string
  verdict: string
}

export interface FoundEvent extends Remembered {
  eventId: string
  readAt: Date
}

/** Found events are counted up to this many. */
export const MOST_FOUND = 1000
