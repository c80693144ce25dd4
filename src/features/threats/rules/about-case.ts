import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatCase } from './threat-case.ts'

/** A card for a channel, which isn't redrawn as time passes. It has dates instead of ages. */
export interface StoredCard {
  verdict: string
  lines: readonly string[]
  /** The footer, except for who has the case and when the event was reported. */
  notes: readonly string[]
  /** When it was read, as ISO text. */
  readAt: string
}

/** The encrypted part of a case about its event: enough to draw its card while the service is down. */
export interface AboutCase {
  /** The event's domain; undefined if it has none. */
  domain: string | undefined
  /** The event's date, as ISO text. */
  reportedAt: string | undefined
  card: StoredCard
  picture: { fileId: string; altText: string } | undefined
}

/** Cast, because only this feature writes it. */
export const readAbout = ({ about }: Pick<ThreatCase, 'about'>): AboutCase => about as AboutCase

export function reportedAt(threatCase: Pick<ThreatCase, 'about'>): Date | undefined {
  const text = readAbout(threatCase).reportedAt
  return text === undefined ? undefined : new Date(text)
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** Returns 0 for the most severe. Levels that the API doesn't define come last. */
export function findSeverity({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  const found = SEVERITIES.indexOf(level)
  return found === -1 ? SEVERITIES.length : found
}
