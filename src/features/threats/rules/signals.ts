import { hash } from 'node:crypto'
import { DAY_MS } from '@signalman/runtime'
import { getDomain } from 'tldts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { parseHost, parseUrlHost } from './values.ts'

/** Whole days from the registration to the report; undefined if either is unknown or the report is earlier. */
export function daysBeforeReport({ date, observedData }: ThreatEvent): number | undefined {
  const created = observedData?.whois?.creationDate
  if (!created || !date || created > date || created.getTime() <= 0) return undefined
  return Math.floor((date.getTime() - created.getTime()) / DAY_MS)
}

/** The registered domain of a host, such as `exa.mple` of `www.exa.mple`, or the address that it is. */
export const findRegisteredDomain = (name: string | undefined): string | undefined => {
  const host = parseHost(name)
  if (!host) return undefined
  return host.kind === 'domain'
    ? (getDomain(host.value, { allowPrivateDomains: true }) ?? host.value)
    : host.value
}

/** Identifies a host's registered domain, or its address, in the database, where cases are encrypted. '' if it isn't a host. */
export function toDomainKey(host: string | undefined): string {
  const domain = findRegisteredDomain(host)
  return domain ? hash('sha256', domain, 'base64url') : ''
}

/** The other registered domain or address that the page redirects to; undefined if it doesn't. */
export function findRedirect({
  domain,
  observedData,
}: ThreatEvent): { to: 'another domain' | 'an IP address'; host: string } | undefined {
  const target = parseUrlHost(observedData?.website?.finalUrl)
  const [from, host] = [findRegisteredDomain(domain), findRegisteredDomain(target?.value)]
  if (!from || !host || from === host) return undefined
  return { to: target?.kind === 'domain' ? 'another domain' : 'an IP address', host }
}
