import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { takedownCheckName } from '../../../domain/takedown-checks.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain } from './defang.ts'
import { removePersonalParts } from './redact-url.ts'
import { createNamePattern } from './shown-event.ts'
import { parseHost, parseUrl } from './values.ts'

const FREQUENCY_SECONDS = 60
const MAX_TARGET = 500

/**
 * Builds the health check: for the reported page if it's on the event's own domain, otherwise for the domain. Ignores certificate
 * errors, because they would look as if the page were down. Undefined if the event names no site, or if the page's URL is too long.
 */
export function buildTakedownCheck(
  { domain, observedData }: ThreatEvent,
  { eventId, customerId }: { eventId: string; customerId: number },
): HealthCheckBody | undefined {
  const host = parseHost(domain)
  if (!domain || !host) return undefined
  const { originUrl, finalUrl } = observedData?.website ?? {}
  const namePattern = createNamePattern(observedData?.whois?.ownerName)
  const page = [originUrl, finalUrl]
    .map((address) => urlOnHost(host.value, address && removePersonalParts(address, namePattern)))
    .find(Boolean)
  if (page && page.href.length > MAX_TARGET) return undefined
  const isHttp = page?.protocol === 'http:'
  return {
    name: takedownCheckName(safeDomain(domain, 100), eventId),
    customerId,
    protocol: isHttp ? 'HTTP' : 'HTTPS',
    target: page?.href ?? host.value,
    port: Number(page?.port) || (isHttp ? 80 : 443),
    frequency: FREQUENCY_SECONDS,
    ...(!isHttp && { verifySsl: false }),
  }
}

/** A web page on the host or a subdomain, without its fragment and user name; undefined for any other address. */
function urlOnHost(host: string, address: string | undefined): URL | undefined {
  const url = URL.parse(parseUrl(address)?.value ?? '')
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  if (hostname !== host && !hostname.endsWith(`.${host}`)) return undefined
  url.hash = ''
  url.username = ''
  url.password = ''
  return url
}

/**
 * Digests of the targets that the event reports: its pages, with and without personal data, and what a health check for it would
 * test. Signalman never connects to them.
 */
export function listReportedTargets(event: ThreatEvent): string[] {
  const { website, whois } = event.observedData ?? {}
  const namePattern = createNamePattern(whois?.ownerName)
  const pages = [website?.originUrl, website?.finalUrl].flatMap((page) =>
    page ? [page, removePersonalParts(page, namePattern)] : [],
  )
  // The ID and the customer aren't part of the target.
  const target = buildTakedownCheck(event, { eventId: '', customerId: 1 })?.target
  return [...new Set([...pages, ...(target ? [target] : [])].flatMap((page) => digestTarget(page) ?? []))]
}

/** The digest of a host, path, and query; undefined if the target isn't an address. Ignores the scheme, the port, and the user name. */
export function digestTarget(target: string | undefined): string | undefined {
  const text = target?.trim() ?? ''
  const url = /^https?:/i.test(text)
    ? URL.parse(text)
    : URL.parse(`http://${isIP(text) === 6 ? `[${text}]` : text}/`)
  if (!url?.hostname) return undefined
  const key = `${url.hostname.replace(/\.$/, '')}${url.pathname}${url.search}`
  return hash('sha256', key, 'base64url')
}
