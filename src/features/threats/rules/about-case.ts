import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatCase } from './threat-case.ts'

/** The card that stays in a channel as long as its case: dates instead of ages, and nothing that goes out of date. */
export interface StillCard {
  verdict: string
  lines: readonly string[]
  /** What its foot says besides who has the case, and when the event was reported. */
  notes: readonly string[]
  /** When it was read, as ISO text. */
  readAt: string
}

/** What a case stores of its event, sealed: enough to draw its card and to continue while the service is away. */
export interface AboutCase {
  /** As the event has it; undefined where it names none. */
  domain: string | undefined
  /** As ISO text. */
  reportedAt: string | undefined
  card: StillCard
  picture: { fileId: string; altText: string } | undefined
}

/** This feature alone writes it, hence of this type. */
export const readAbout = ({ about }: Pick<ThreatCase, 'about'>): AboutCase => about as AboutCase

export function reportedAt(found: Pick<ThreatCase, 'about'>): Date | undefined {
  const text = readAbout(found).reportedAt
  return text === undefined ? undefined : new Date(text)
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** 0 for the worst; levels that the interface does not name come last. */
export function findSeverity({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  const found = SEVERITIES.indexOf(level)
  return found === -1 ? SEVERITIES.length : found
}
