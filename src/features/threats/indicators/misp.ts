import { oneLine } from '@signalman/slack'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { accusedOf, type Indicator, type Indicators } from './indicators.ts'
import { createdOf, latestOf, type StixFrame, uuidOf } from './stix.ts'
import type { Kind } from './values.ts'

/** MISP's core format (https://www.misp-standard.org/rfc/misp-standard-core.html, read November 2026). */
const OURS = '0b9a6f0e-6f0e-5d0c-9c63-3a1b6b1f4d52'
const TYPES: Readonly<Record<Kind, string>> = {
  domain: 'domain',
  url: 'url',
  ipv4: 'ip-dst',
  ipv6: 'ip-dst',
  as: 'AS',
  email: 'whois-registrant-email',
}
/** 1 high, 2 medium, 3 low, 4 undefined. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ['CRITICAL', '1'],
  ['HIGH', '1'],
  ['MEDIUM', '2'],
  ['LOW', '3'],
])
const MAX_TEXT = 500

/** The indicators as a MISP event: what STIX accuses for detection, the rest as context. Equal content makes equal bytes. */
export function mispOf(
  event: ThreatEvent,
  indicators: Indicators,
  { id, modified, isPersonal }: StixFrame,
): object {
  const accused = accusedOf(indicators)
  const { domain, brand, type, criticality } = event
  const seconds = String(Math.floor(latestOf(modified).getTime() / 1000))
  const uuid = (name: string): string => uuidOf(OURS, `misp ${id} ${name}${isPersonal ? ' personal' : ''}`)
  const about = [domain, brand?.name && `imitates ${brand.name}`, type].filter(Boolean).join(' · ')
  const attribute = (indicator: Indicator) => ({
    uuid: uuid(`${indicator.kind} ${indicator.value}`),
    type: TYPES[indicator.kind],
    category: indicator.kind === 'email' ? 'Attribution' : 'Network activity',
    value: indicator.kind === 'as' ? `AS${indicator.value}` : indicator.value,
    to_ids: accused.includes(indicator),
    timestamp: seconds,
    comment: indicator.source,
    distribution: '5',
    disable_correlation: false,
  })
  return {
    Event: {
      uuid: uuid('event'),
      info: oneLine(about.slice(0, MAX_TEXT)) || `Threat event ${id}`,
      date: createdOf(event).slice(0, 10),
      threat_level_id: LEVELS.get((criticality?.level ?? criticality?.name ?? '').toUpperCase()) ?? '4',
      analysis: '0',
      distribution: '0',
      published: false,
      timestamp: seconds,
      Tag: [{ name: isPersonal ? 'tlp:red' : 'tlp:amber' }],
      Attribute: [
        ...indicators.all.map(attribute),
        {
          ...attribute({ kind: 'domain', value: id, source: 'id of the threat event' }),
          type: 'other',
          category: 'Internal reference',
          to_ids: false,
        },
      ],
    },
  }
}
