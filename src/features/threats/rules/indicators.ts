import { oneLine } from '@signalman/slack'
import { getDomain } from 'tldts'
import type { DnsRecord, ThreatEvent } from '../../../service/threat-event.ts'
import { HIDDEN } from './shown-event.ts'
import { daysBeforeReport } from './signals.ts'
import {
  type IndicatorValue,
  type Kind,
  parseAsNumber,
  parseEmail,
  parseHost,
  parseIp,
  parseUrl,
} from './values.ts'

export interface Indicator extends IndicatorValue {
  /** The first place in the event that contains it. */
  source: string
  /** For an autonomous system: its operator. */
  name?: string
}

export interface Link {
  from: Indicator
  to: Indicator
  kind: 'resolves-to' | 'belongs-to'
}

/** Values for other tools, without duplicates, in the event's order, not defanged. */
export interface Indicators {
  all: readonly Indicator[]
  links: readonly Link[]
  /** How many values were left out because they are invalid. */
  invalid: number
  /** How many values identify the domain's owner and were left out. */
  personal: number
  /** The indicator that the event is about. */
  subject: Indicator | undefined
}

type Note = (
  value: IndicatorValue | undefined,
  source: string,
  given: string | undefined,
) => Indicator | undefined

/** Finds the values of an event. They aren't defanged, so never show them where Slack makes links. */
export function findIndicators(event: ThreatEvent): Indicators {
  const found = new Map<string, Indicator>()
  const links = new Map<string, Link>()
  let invalid = 0
  let personal = 0

  const note: Note = (value, source, given) => {
    if (given?.includes(HIDDEN)) {
      personal += 1
      return undefined
    }
    if (!value) {
      if (given?.trim()) invalid += 1
      return undefined
    }
    const key = `${value.kind} ${value.value}`
    const known = found.get(key) ?? { ...value, source }
    found.set(key, known)
    return known
  }

  function link(from: Indicator | undefined, kind: Link['kind'], to: Indicator | undefined): void {
    if (from && to) links.set(`${from.kind} ${from.value} ${kind} ${to.value}`, { from, to, kind })
  }

  function noteRecord({ name, ip, autonomousSystem }: DnsRecord): void {
    const host = note(parseHost(name), 'DNS record', name)
    const address = note(parseIp(ip), 'DNS record', ip)
    if (host?.kind === 'domain') link(host, 'resolves-to', address)
    const system = note(parseAsNumber(autonomousSystem?.number), 'DNS record', autonomousSystem?.number)
    const runBy = oneLine(autonomousSystem?.organization ?? '')
    if (system && runBy && !system.name) system.name = runBy
    link(address, 'belongs-to', system)
  }

  const { website, dnsRecords = [], whois } = event.observedData ?? {}
  const subject = note(parseHost(event.domain) ?? parseUrl(event.domain), 'threat event', event.domain)
  note(parseUrl(website?.originUrl), 'address reported', website?.originUrl)
  note(parseUrl(website?.finalUrl), 'address it leads to', website?.finalUrl)
  for (const record of dnsRecords) noteRecord(record)
  note(parseEmail(whois?.ownerEmail), 'WHOIS', whois?.ownerEmail)
  return { all: [...found.values()], links: [...links.values()], invalid, personal, subject }
}

/** The event's domain and the addresses on it. Redirect targets and servers that it shares with others are only observed. */
export function findReported({ all, subject }: Indicators): Indicator[] {
  const host = subject?.kind === 'domain' ? subject.value : undefined
  const isOnIt = ({ kind, value }: Indicator): boolean => {
    const name = kind === 'url' ? URL.parse(value)?.hostname : undefined
    return host !== undefined && (name === host || name?.endsWith(`.${host}`) === true)
  }
  const reported = subject ?? all.find(({ source }) => source === 'address reported')
  return all.filter((indicator) => indicator === reported || isOnIt(indicator))
}

/** A domain that was registered at most this long before the report was probably registered for the attack. */
const NEW_DAYS = 365

/**
 * The indicators that other tools may block. An older domain may host other people's pages, such as docs.google.com: then only
 * the reported pages, or the domain if the event names no page on it and it is a registered domain of its own.
 */
export function findAccused(indicators: Indicators, event: ThreatEvent): Indicator[] {
  const { subject } = indicators
  const reported = findReported(indicators)
  const days = daysBeforeReport(event)
  if (subject?.kind !== 'domain' || (days !== undefined && days <= NEW_DAYS)) return reported
  const pages = reported.filter(({ kind, value }) => kind === 'url' && hasPath(value))
  if (pages.length > 0) return pages
  return getDomain(subject.value, { allowPrivateDomains: true }) === subject.value ? reported : []
}

/** Whether a URL has more than a host. */
function hasPath(address: string): boolean {
  const { pathname = '/', search = '' } = URL.parse(address) ?? {}
  return pathname !== '/' || search !== ''
}

export const KIND_NAMES: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  domain: ['domain', 'domains'],
  url: ['URL', 'URLs'],
  ipv4: ['IPv4 address', 'IPv4 addresses'],
  ipv6: ['IPv6 address', 'IPv6 addresses'],
  as: ['autonomous system', 'autonomous systems'],
  email: ['email address', 'email addresses'],
}

/** `1 domain, 2 URLs`. */
export function formatCounts(all: readonly Indicator[]): string {
  const kinds = Object.entries(KIND_NAMES).flatMap(([kind, [one, many]]) => {
    const count = all.filter((indicator) => indicator.kind === kind).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  return kinds.join(', ')
}
