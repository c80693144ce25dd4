import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatCase } from './threat-case.ts'

/** A card in the form that a case stores. It has dates instead of ages, because it isn't updated as time passes. */
export interface StoredCard {
  verdict: string
  lines: readonly string[]
  /** The footer, except for who has the case and when the event was reported. */
  notes: readonly string[]
  /** When the event was read, as ISO text. */
  readAt: string
}

/** The part of an event that its case stores, encrypted. It's enough to build the card while the service is down. */
export interface EventSnapshot {
  /** The event's domain; undefined if it has none. */
  domain: string | undefined
  /** The event's date, as ISO text. */
  reportedAt: string | undefined
  /** Digests of the targets that it reports. See `takedown-check.ts`. */
  targets: readonly string[]
  card: StoredCard
  picture: { fileId: string; altText: string } | undefined
}

/** The snapshot of a case's event. The cast is safe, because only this feature writes snapshots. */
export const readSnapshot = ({ eventSnapshot }: Pick<ThreatCase, 'eventSnapshot'>): EventSnapshot =>
  eventSnapshot as EventSnapshot

export function reportedAt(threatCase: Pick<ThreatCase, 'eventSnapshot'>): Date | undefined {
  const text = readSnapshot(threatCase).reportedAt
  return text === undefined ? undefined : new Date(text)
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** 0 is the most severe. A level that the API doesn't define is 0, because it may be worse than the known ones. */
export function rankSeverity({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  return SEVERITIES.indexOf(level) + 1
}
