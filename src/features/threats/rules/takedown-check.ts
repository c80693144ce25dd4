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
 * Builds the health check: for the reported page if it's on the event's own domain or on an IP address, otherwise for the domain.
 * Ignores certificate errors, because they would look as if the page were down. Undefined if the event names no site, or if the page's
 * URL is too long.
 */
export function buildTakedownCheck(
  event: ThreatEvent,
  { eventId, customerId }: { eventId: string; customerId: number },
): HealthCheckBody | undefined {
  const site = findReportedSite(event)
  if (!site) return undefined
  const { page, host } = site
  if (page && page.href.length > MAX_TARGET) return undefined
  const isHttp = page?.protocol === 'http:'
  return {
    name: takedownCheckName(safeDomain(event.domain?.trim() || host, 100), eventId),
    customerId,
    protocol: isHttp ? 'HTTP' : 'HTTPS',
    target: page?.href ?? host,
    port: Number(page?.port) || (isHttp ? 80 : 443),
    frequency: FREQUENCY_SECONDS,
    ...(!isHttp && { verifySsl: false }),
  }
}

/** The page to watch, if any, and its host; undefined if the event names neither a host nor a page. */
export function findReportedSite({
  domain,
  observedData,
}: ThreatEvent): { page: URL | undefined; host: string } | undefined {
  const { website = {}, whois } = observedData ?? {}
  const namePattern = createNamePattern(whois?.ownerName)
  const readPage = (address: string | undefined): URL | undefined =>
    parsePage(address && removePersonalParts(address, namePattern))
  const [origin, final] = [readPage(website.originUrl), readPage(website.finalUrl)]
  const host = parseHost(domain)?.value
  if (host) {
    const isReportedAddress = origin !== undefined && isIP(hostOf(origin)) !== 0
    const page = isReportedAddress ? origin : [origin, final].find((url) => url && isOnHost(url, host))
    return { page, host }
  }
  return origin && { page: origin, host: hostOf(origin) }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const isOnHost = (url: URL, host: string): boolean => {
  const hostname = hostOf(url)
  return hostname === host || hostname.endsWith(`.${host}`)
}

/** A web page, without its fragment and user name; undefined for any other address. */
function parsePage(address: string | undefined): URL | undefined {
  const url = URL.parse(parseUrl(address)?.value ?? '')
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
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
