import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatCase } from './threat-case.ts'

/** A card that is posted in a channel and not redrawn: it has dates instead of ages, and nothing that becomes outdated. */
export interface StoredCard {
  verdict: string
  lines: readonly string[]
  /** The footer, except for who has the case and when the event was reported. */
  notes: readonly string[]
  /** When it was read, as ISO text. */
  readAt: string
}

/** What a case stores of its event, encrypted: enough to draw its card and to continue while the service is down. */
export interface AboutCase {
  /** As in the event; undefined if it names none. */
  domain: string | undefined
  /** As ISO text. */
  reportedAt: string | undefined
  card: StoredCard
  picture: { fileId: string; altText: string } | undefined
}

/** Only this feature writes it, so its type is known. */
export const readAbout = ({ about }: Pick<ThreatCase, 'about'>): AboutCase => about as AboutCase

export function reportedAt(found: Pick<ThreatCase, 'about'>): Date | undefined {
  const text = readAbout(found).reportedAt
  return text === undefined ? undefined : new Date(text)
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** 0 for the most severe. Levels that the API doesn't name come last. */
export function findSeverity({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  const found = SEVERITIES.indexOf(level)
  return found === -1 ? SEVERITIES.length : found
}
