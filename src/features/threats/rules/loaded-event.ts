import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ShownEvent } from './shown-event.ts'

/** An event as read from the service, and what each audience may see of it. */
export interface LoadedEvent {
  /** Includes the domain owner's personal data. */
  fullEvent: ThreatEvent
  forMembers: ShownEvent
  /** For guests and channels. */
  facts: ShownEvent
}
