import { DAY_MS } from '@signalman/runtime'
import { getDomain } from 'tldts'
import { counted } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { hostOf } from '../indicators/values.ts'
import type { Signal } from './signals.ts'

/** Domains made for fraud are mostly used in their first weeks. */
const YOUNG_DAYS = 30

/** Whole days from the registration to the report; undefined when either is unknown, or they cannot both be right. */
export function daysBeforeReport({ date, observedData }: ThreatEvent): number | undefined {
  const created = observedData?.whois?.creationDate
  if (!created || !date || created > date || created.getTime() <= 0) return undefined
  return Math.floor((date.getTime() - created.getTime()) / DAY_MS)
}

/** A domain that was young when it was reported. */
export function age(event: ThreatEvent): Signal[] {
  const days = daysBeforeReport(event)
  if (days === undefined || days > YOUNG_DAYS) return []
  const when = days === 0 ? 'on the day of the report' : `${counted(days, 'day')} before the report`
  return [{ kind: 'age', says: 'new domain', because: `The domain was registered ${when}.` }]
}

const registrable = (name: string | undefined): string | undefined => {
  const host = hostOf(name)
  if (!host) return undefined
  return host.kind === 'domain'
    ? (getDomain(host.value, { allowPrivateDomains: true }) ?? host.value)
    : host.value
}

/** The page leads to somebody else's domain. */
export function leadsElsewhere({ domain, observedData }: ThreatEvent): string | undefined {
  const target = URL.parse(observedData?.website?.finalUrl ?? '')?.hostname.replace(/^\[|\]$/g, '')
  const [from, to] = [registrable(domain), registrable(target)]
  return from && to && from !== to ? to : undefined
}

/** A visit that ends on another domain. */
export function elsewhere(event: ThreatEvent): Signal[] {
  const to = leadsElsewhere(event)
  if (!to) return []
  return [
    {
      kind: 'elsewhere',
      says: 'leads to another domain',
      because: `The page ends at ${to}, another domain.`,
    },
  ]
}
