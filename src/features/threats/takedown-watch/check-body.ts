import { takedownCheckName } from '../../../domain/takedown-checks.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain } from '../defang.ts'
import { hostOf, urlOf } from '../indicators/values.ts'
import { KEPT_BACK } from '../privacy/redact-event.ts'

const FREQUENCY_SECONDS = 60
const MAX_TARGET = 500

/**
 * The health check that shows whether the site of an event is still up: of the reported page when it is on the event's own
 * domain, else of the domain. Certificates are not checked: a bad one would look like a site that is down. Undefined when
 * the event names no site.
 */
export function takedownCheck(
  { domain, observedData }: ThreatEvent,
  { eventId, customerId }: { eventId: string; customerId: number },
): HealthCheckBody | undefined {
  const host = hostOf(domain)
  if (!domain || !host) return undefined
  const { originUrl, finalUrl } = observedData?.website ?? {}
  const page = [originUrl, finalUrl].map((address) => pageOn(host.value, address)).find(Boolean)
  const isPlain = page?.protocol === 'http:'
  return {
    name: takedownCheckName(safeDomain(domain, 100), eventId),
    customerId,
    protocol: isPlain ? 'HTTP' : 'HTTPS',
    target: page?.href ?? host.value,
    port: Number(page?.port) || (isPlain ? 80 : 443),
    frequency: FREQUENCY_SECONDS,
    ...(!isPlain && { verifySsl: false }),
  }
}

/** A web page on the host or under it, without what no server is sent; undefined for any other address. */
function pageOn(host: string, address: string | undefined): URL | undefined {
  if (!address || address.includes(KEPT_BACK)) return undefined
  const url = URL.parse(urlOf(address)?.value ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  const named = url.hostname.replace(/^\[|\]$/g, '')
  if (named !== host && !named.endsWith(`.${host}`)) return undefined
  url.hash = ''
  return url.href.length > MAX_TARGET ? undefined : url
}
