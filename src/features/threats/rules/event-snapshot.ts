import type { ThreatEvent } from '../../../service/threat-event.ts'

/**
 * The part of an event that its case stores, encrypted. It's enough to build the card while the service is down. It has dates instead
 * of ages, because the card isn't updated as time passes.
 */
export interface EventSnapshot {
  verdict: string
  /** The domain, which is the headline, and then the facts. */
  lines: readonly string[]
  /** The footer, except for who has the case and when the event was reported. */
  notes: readonly string[]
  /** When the event was read, and its date, as ISO text. */
  readAt: string
  reportedAt: string | undefined
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** 0 is the most severe. A level that the API doesn't define is 0, because it may be worse than the known ones. */
export function rankSeverity({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  return SEVERITIES.indexOf(level) + 1
}
