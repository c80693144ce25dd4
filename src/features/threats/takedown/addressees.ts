import { getDomain } from 'tldts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findReported, type Indicator, type Indicators } from '../rules/indicators.ts'
import { HIDDEN } from '../rules/shown-event.ts'
import { parseAsNumber, parseEmail, parseHost, parseIp } from '../rules/values.ts'

/** A registrar or host that gets a letter. */
export interface Addressee {
  role: 'registrar' | 'host'
  /** The name in the event, not defanged. */
  name: string | undefined
  /** For a host: the number of its autonomous system. */
  system: string | undefined
  /** An address for abuse reports, if the event names one. */
  contact: string | undefined
  /** The indicators that the addressee can act on. */
  evidence: readonly Indicator[]
}

/** The most letters to hosts in a kit. Addresses of other hosts are only in the indicator files. */
const MAX_HOSTS = 10

/** The domain that a registrar could suspend: the event's domain, or the one in the reported address. */
function findDomainToSuspend({ all, subject }: Indicators): string | undefined {
  if (subject?.kind === 'domain') return subject.value
  const reported = all.find(({ kind, source }) => kind === 'url' && source === 'address reported')
  const host = parseHost(URL.parse((subject ?? reported)?.value ?? '')?.hostname)
  return host?.kind === 'domain' ? host.value : undefined
}

/** Finds the registrar, if there is a domain. From `fullEvent`, uses only the registrar's address, which isn't personal data. */
export function findRegistrar(
  { redactedEvent, fullEvent }: { redactedEvent: ThreatEvent; fullEvent: ThreatEvent },
  indicators: Indicators,
): Addressee | undefined {
  const domain = findDomainToSuspend(indicators)
  if (domain === undefined) return undefined
  const { registrarName } = redactedEvent.observedData?.whois ?? {}
  const contact = findAbuseContact(fullEvent.observedData?.whois?.registrarName, fullEvent, domain)
  const evidence = findReported(indicators)
  return { role: 'registrar', name: cleanName(registrarName), system: undefined, contact, evidence }
}

/**
 * Finds the network operators of the domain's addresses, without duplicates, and counts those beyond the limit. An operator has no
 * name or number if the event doesn't have them. Returns none if there is nothing that a host could investigate.
 */
export function findHosts(
  { redactedEvent, fullEvent }: { redactedEvent: ThreatEvent; fullEvent: ThreatEvent },
  indicators: Indicators,
): { hosts: Addressee[]; skippedCount: number } {
  const reported = findReported(indicators)
  if (reported.length === 0) return { hosts: [], skippedCount: 0 }
  const domain = findDomainToSuspend(indicators)
  const bySystem = new Map<
    string,
    { name?: string | undefined; fullOrganization?: string | undefined; addresses: Set<string> }
  >()
  const fullRecords = fullEvent.observedData?.dnsRecords ?? []
  for (const [index, record] of (redactedEvent.observedData?.dnsRecords ?? []).entries()) {
    const { type, name, ip, autonomousSystem } = record
    const address = parseIp(ip)?.value
    if (!address || !isAddressRecord(type) || !isOnDomain(domain, parseHost(name)?.value)) continue
    const number = parseAsNumber(autonomousSystem?.number)?.value ?? ''
    const host = bySystem.get(number) ?? { addresses: new Set() }
    host.name ||= autonomousSystem?.organization
    // The unredacted text, because it may contain the address for abuse reports.
    host.fullOrganization ||= fullRecords[index]?.autonomousSystem?.organization
    host.addresses.add(address)
    bySystem.set(number, host)
  }
  if (bySystem.size === 0) bySystem.set('', { addresses: new Set() })
  const hosts = [...bySystem].map(([number, { name, fullOrganization, addresses }]): Addressee => {
    const addressIndicators = indicators.all.filter(
      ({ kind, value }) => kind.startsWith('ip') && addresses.has(value),
    )
    return {
      role: 'host',
      name: cleanName(name),
      system: number || undefined,
      contact: findAbuseContact(fullOrganization, fullEvent, domain),
      evidence: [...new Set([...addressIndicators, ...reported])],
    }
  })
  return { hosts: hosts.slice(0, MAX_HOSTS), skippedCount: Math.max(0, hosts.length - MAX_HOSTS) }
}

/** Whether the record is for an address. Mail and name servers often belong to someone else. */
const isAddressRecord = (type: string | undefined): boolean => !type || /^a(?:aaa)?$/i.test(type.trim())

const isOnDomain = (domain: string | undefined, host: string | undefined): boolean =>
  !domain || !host || host === domain || host.endsWith(`.${domain}`)

function cleanName(rawName: string | undefined): string | undefined {
  const name = rawName?.replaceAll(HIDDEN, '').replace(/^[\s,;<>()]+|[\s,;<>()]+$/g, '')
  return name || undefined
}

const EMAIL_ADDRESS = /[^\s<>()[\]"',;:]{1,64}@[^\s<>()[\]"',;:]{1,253}/g
const ABUSE_MAILBOX = /^abuse(?:[._+-]?(?:complaints?|contact|desk|domains?|noc|reports?|team))?$/i
const MAX_SEARCHED_LENGTH = 500

/**
 * Finds the address for abuse reports at a registrar or host. Never returns the owner's address, or an address on the domain itself,
 * because a letter to it would only warn the attacker.
 */
function findAbuseContact(
  text: string | undefined,
  event: ThreatEvent,
  domain: string | undefined,
): string | undefined {
  const owner = event.observedData?.whois?.ownerEmail?.trim().toLowerCase()
  const ownDomain = domain && (getDomain(domain) ?? domain)
  for (const [address] of text?.slice(0, MAX_SEARCHED_LENGTH).matchAll(EMAIL_ADDRESS) ?? []) {
    const value = parseEmail(address)?.value
    if (!value) continue
    const [local = '', host = ''] = value.split('@')
    if (
      ABUSE_MAILBOX.test(local) &&
      !(ownDomain && (host === ownDomain || host.endsWith(`.${ownDomain}`))) &&
      value.toLowerCase() !== owner
    )
      return value
  }
  return undefined
}
