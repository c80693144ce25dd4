import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeLine } from '../defang.ts'

const SHORT = 60

/** The levels that the interface names; any other is shown as it came. */
const DOTS: ReadonlyMap<string, string> = new Map([
  ['CRITICAL', '🔴'],
  ['HIGH', '🔴'],
  ['MEDIUM', '🟠'],
  ['LOW', '🟡'],
])

/** The kinds in words; any other is shown as it came. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['DOMAIN_REPORTED', 'reported domain'],
  ['DOMAIN_REGISTERED', 'newly registered domain'],
  ['WEBSITE_CHANGED', 'changed website'],
  ['MAIL_SERVER_ACTIVATED', 'mail server switched on'],
])

/** `🔴 HIGH · reported domain · imitates Example Shops`. */
export function verdictOf({ criticality, type, brand }: ThreatEvent): string {
  const level = criticality?.level || criticality?.name
  const dot = DOTS.get((level ?? '').trim().toUpperCase()) ?? '⚪'
  const kind = type && (KINDS.get(type) ?? type)
  const about = brand?.name || brand?.groupingKey
  return [
    `${dot} ${level ? safeLine(level, 30) : 'no criticality'}`,
    kind && safeLine(kind, 40),
    about && `imitates ${safeLine(about, SHORT)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
