import { DAY_MS } from '@signalman/runtime'
import { getDomain } from 'tldts'
import { pluralize } from '../../../domain/wording.ts'
import { findSentValue, type ThreatEvent } from '../../../service/threat-event.ts'
import { parseHost, parseUrlHost } from './values.ts'

/** Something about an event that responders look for, such as a new domain. Computed without network requests. */
export interface Signal {
  kind: 'age' | 'redirect' | 'mail' | 'hidden-owner' | 'no-screenshot'
  /** A few words for a card. Not defanged yet. */
  label: string
  /** The evidence, as a sentence. */
  evidence: string
}

/** Domains registered for fraud are mostly used in their first weeks. */
const NEW_DOMAIN_DAYS = 30

/** The signals of an event, strongest first. */
export function findSignals({
  event,
  isOwnerHidden,
}: {
  event: ThreatEvent
  /** Whether the WHOIS record hides the owner's name or has none. */
  isOwnerHidden: boolean
}): Signal[] {
  const days = daysBeforeReport(event) ?? Number.POSITIVE_INFINITY
  const registered = days === 0 ? 'on the day of the report' : `${pluralize(days, 'day')} before the report`
  const redirect = findRedirect(event)
  const all: readonly (Signal | false | undefined)[] = [
    days <= NEW_DOMAIN_DAYS && {
      kind: 'age',
      label: 'new domain',
      evidence: `The domain was registered ${registered}.`,
    },
    redirect && {
      kind: 'redirect',
      label: `leads to ${redirect.to}`,
      evidence: `The page redirects to ${redirect.to}, ${redirect.host}.`,
    },
    hasMailServer(event) && {
      kind: 'mail',
      label: 'accepts mail',
      evidence: 'It has a mail server (MX), so it can receive mail under this name.',
    },
    isOwnerHidden && {
      kind: 'hidden-owner',
      label: 'hidden registrant',
      evidence: 'The WHOIS record names no owner, or only a privacy service.',
    },
    lacksScreenshot(event) && {
      kind: 'no-screenshot',
      label: 'no screenshot',
      evidence: 'The service has no screenshot of the page. The page may hide from some visitors.',
    },
  ]
  return all.filter((signal) => signal !== false && signal !== undefined)
}

/** Whether the domain has an MX record; undefined if the event has no DNS records. */
export function hasMailServer({ observedData }: ThreatEvent): boolean | undefined {
  const records = observedData?.dnsRecords ?? []
  return records.length === 0 ? undefined : records.some(({ type }) => type?.trim().toUpperCase() === 'MX')
}

/** Whether the event has no screenshot. False if the website couldn't be parsed, because it may have one. */
const lacksScreenshot = (event: ThreatEvent): boolean =>
  !event.observedData?.website?.screenshotResourceUrl &&
  !findSentValue(event, 'observed_data') &&
  !findSentValue(event, 'observed_data.website')

/** Whole days from the registration to the report; undefined if either is unknown or the report is earlier. */
export function daysBeforeReport({ date, observedData }: ThreatEvent): number | undefined {
  const created = observedData?.whois?.creationDate
  if (!created || !date || created > date || created.getTime() <= 0) return undefined
  return Math.floor((date.getTime() - created.getTime()) / DAY_MS)
}

const findRegisteredDomain = (name: string | undefined): string | undefined => {
  const host = parseHost(name)
  if (!host) return undefined
  return host.kind === 'domain'
    ? (getDomain(host.value, { allowPrivateDomains: true }) ?? host.value)
    : host.value
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
