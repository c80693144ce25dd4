import { yieldWhenDue } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import { getDomain } from 'tldts'
import type { DnsRecord, ThreatEvent } from '../../../service/threat-event.ts'
import { keepIfPlain } from './shown-event.ts'
import { daysBeforeReport } from './signals.ts'
import {
  type IndicatorValue,
  parseAsNumber,
  parseHost,
  parseIp,
  parseUrl,
  parseUrlHost,
  readPage,
} from './values.ts'

export interface Indicator extends IndicatorValue {
  /** The first place in the event that contains it. */
  source: string
  /** For an autonomous system: its operator. */
  name?: string
}

/** The values of an event for other tools: without duplicates, in the event's order, and not defanged. */
export interface Indicators {
  all: readonly Indicator[]
  /** Invalid values, which were left out. */
  invalidCount: number
  /** The indicator that the event is about. */
  subject: Indicator | undefined
}

type AddIndicator = (
  value: IndicatorValue | undefined,
  source: string,
  rawText: string | undefined,
) => Indicator | undefined

/**
 * Finds the indicators of an event, exactly as reported and without the domain's owner. They aren't defanged, so don't show them where
 * Slack creates links.
 */
export async function findIndicators(event: ThreatEvent): Promise<Indicators> {
  const { website, dnsRecords = [] } = event.observedData ?? {}
  const byKey = new Map<string, Indicator>()
  let invalidCount = 0

  const add: AddIndicator = (value, source, rawText) => {
    if (!value) {
      if (rawText?.trim()) invalidCount += 1
      return undefined
    }
    const key = `${value.kind} ${value.value}`
    const indicator = byKey.get(key) ?? { ...value, source }
    byKey.set(key, indicator)
    return indicator
  }

  function addRecord({ name, ip, autonomousSystem }: DnsRecord): void {
    add(parseHost(name), 'DNS record', name)
    add(parseIp(ip), 'DNS record', ip)
    const system = add(parseAsNumber(autonomousSystem?.number), 'DNS record', autonomousSystem?.number)
    // Files contain no text that isn't shown to everyone.
    const operator = oneLine(keepIfPlain(autonomousSystem?.organization) ?? '')
    if (system && operator && !system.name) system.name = operator
  }

  const subject = add(parseHost(event.domain) ?? parseUrl(event.domain), 'threat event', event.domain)
  add(parseUrl(website?.originUrl), 'address reported', website?.originUrl)
  add(parseUrl(website?.finalUrl), 'address it leads to', website?.finalUrl)
  for (const record of dnsRecords) {
    await yieldWhenDue()
    addRecord(record)
  }
  return { all: [...byKey.values()], invalidCount, subject }
}

/** Whether an indicator is a URL on the event's own host, or on a subdomain of it. */
function isOnSubject({ kind, value }: Indicator, { subject }: Indicators): boolean {
  const host = kind === 'url' ? parseUrlHost(value)?.value : undefined
  if (!host || !subject) return false
  return host === subject.value || (subject.kind === 'domain' && host.endsWith(`.${subject.value}`))
}

/** The IP address that an indicator is or is a page on; undefined for any other indicator. */
function findAddress({ kind, value }: IndicatorValue): string | undefined {
  const host = kind === 'url' ? parseUrlHost(value) : { kind, value }
  return host?.kind.startsWith('ip') ? host.value : undefined
}

/** Whether an indicator is the reported page, and the page has no name but only an IP address. */
const isPageOnAddress = (indicator: Indicator): boolean =>
  indicator.kind === 'url' && indicator.source === 'address reported' && findAddress(indicator) !== undefined

/**
 * The event's subject, the URLs on it, and a reported page on an IP address. Leaves out redirect targets and shared servers, which may
 * belong to others.
 */
function findReported(indicators: Indicators): Indicator[] {
  const { all, subject } = indicators
  const reported = subject ?? all.find(({ source }) => source === 'address reported')
  return all.filter(
    (indicator) => indicator === reported || isOnSubject(indicator, indicators) || isPageOnAddress(indicator),
  )
}

/** A domain registered at most this many days before the report was probably registered for the attack. */
const NEW_DAYS = 365

/**
 * The indicators that other tools may block. An older domain may also host other people's pages, as docs.google.com does, and so may
 * an IP address. So for these, returns only the reported pages. The domain or address never stands in for a page that isn't among
 * them, such as one that isn't valid. If no page was reported, returns an address that the event is about, and a domain only if it's
 * a registered domain.
 */
export function findBlockable(indicators: Indicators, event: ThreatEvent): Indicator[] {
  const { subject } = indicators
  const reported = findReported(indicators)
  if (!subject || subject.kind === 'url') return reported
  const days = daysBeforeReport(event)
  if (subject.kind === 'domain' && days !== undefined && days <= NEW_DAYS) return reported
  const pages = reported.filter(
    (indicator) =>
      indicator.kind === 'url' && (hasPath(indicator.value) || !isOnSubject(indicator, indicators)),
  )
  if (pages.length > 0) return pages
  const { originUrl = '', finalUrl = '' } = event.observedData?.website ?? {}
  if (hasPath(originUrl) || [originUrl, finalUrl].some((url) => url.trim() && !parseUrl(url))) return []
  const isOwn =
    subject.kind !== 'domain' || getDomain(subject.value, { allowPrivateDomains: true }) === subject.value
  return isOwn ? reported : []
}

/** Whether a URL has more than a host. */
function hasPath(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && readPage(url) !== '/'
}
