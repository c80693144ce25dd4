import { getDomain } from 'tldts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findReported, type Indicator, type Indicators } from '../rules/indicators.ts'
import { HIDDEN } from '../rules/shown-event.ts'
import { parseAsNumber, parseEmail, parseHost, parseIp } from '../rules/values.ts'

/** A registrar or host that gets a letter. */
export interface Addressee {
  role: 'registrar' | 'host'
  /** Outside text, unchanged. */
  name: string | undefined
  /** For a host: the number of its autonomous system. */
  system: string | undefined
  /** An address for abuse reports, if the event names one. */
  contact: string | undefined
  /** The indicators that the addressee can act on. */
  evidence: readonly Indicator[]
}

/** The most letters to hosts in one kit. Further hosts are among the indicators. */
const MAX_HOSTS = 10

/** The domain that a registrar could suspend: the event's own, or that of the reported address. */
function domainToSuspend({ all, subject }: Indicators): string | undefined {
  if (subject?.kind === 'domain') return subject.value
  const reported = all.find(({ kind, source }) => kind === 'url' && source === 'address reported')
  const host = parseHost(URL.parse((subject ?? reported)?.value ?? '')?.hostname)
  return host?.kind === 'domain' ? host.value : undefined
}

/** The registrar, if there is a domain. From `fullEvent`, only uses the registrar's address, which isn't personal data. */
export function findRegistrar(
  { redactedEvent, fullEvent }: { redactedEvent: ThreatEvent; fullEvent: ThreatEvent },
  indicators: Indicators,
): Addressee | undefined {
  const domain = domainToSuspend(indicators)
  if (domain === undefined) return undefined
  const { registrarName } = redactedEvent.observedData?.whois ?? {}
  const contact = abuseContact(fullEvent.observedData?.whois?.registrarName, fullEvent, domain)
  const evidence = findReported(indicators)
  return { role: 'registrar', name: findName(registrarName), system: undefined, contact, evidence }
}

/**
 * The operators of the networks that the domain's addresses are in, without duplicates. One without a name or number stands for
 * an address that the event says nothing else about. Empty if there is nothing that a host could investigate.
 */
export function findHosts(
  { redactedEvent, fullEvent }: { redactedEvent: ThreatEvent; fullEvent: ThreatEvent },
  indicators: Indicators,
): { hosts: Addressee[]; left: number } {
  const accused = findReported(indicators)
  if (accused.length === 0) return { hosts: [], left: 0 }
  const domain = domainToSuspend(indicators)
  const bySystem = new Map<
    string,
    { name?: string | undefined; whole?: string | undefined; addresses: Set<string> }
  >()
  const whole = fullEvent.observedData?.dnsRecords ?? []
  for (const [index, record] of (redactedEvent.observedData?.dnsRecords ?? []).entries()) {
    const { type, name, ip, autonomousSystem } = record
    const address = parseIp(ip)?.value
    if (!address || !isAddressRecord(type) || !isOnDomain(domain, parseHost(name)?.value)) continue
    const number = parseAsNumber(autonomousSystem?.number)?.value ?? ''
    const known = bySystem.get(number) ?? { addresses: new Set() }
    known.name ||= autonomousSystem?.organization
    // Adds the address for abuse reports.
    known.whole ||= whole[index]?.autonomousSystem?.organization
    known.addresses.add(address)
    bySystem.set(number, known)
  }
  if (bySystem.size === 0) bySystem.set('', { addresses: new Set() })
  const hosts = [...bySystem].map(([number, { name, whole, addresses }]): Addressee => {
    const theirs = indicators.all.filter(({ kind, value }) => kind.startsWith('ip') && addresses.has(value))
    return {
      role: 'host',
      name: findName(name),
      system: number || undefined,
      contact: abuseContact(whole, fullEvent, domain),
      evidence: [...new Set([...theirs, ...accused])],
    }
  })
  return { hosts: hosts.slice(0, MAX_HOSTS), left: Math.max(0, hosts.length - MAX_HOSTS) }
}

/** Mail and name servers belong to other people. */
const isAddressRecord = (type: string | undefined): boolean => !type || /^a(?:aaa)?$/i.test(type.trim())

const isOnDomain = (domain: string | undefined, host: string | undefined): boolean =>
  !domain || !host || host === domain || host.endsWith(`.${domain}`)

function findName(given: string | undefined): string | undefined {
  const name = given?.replaceAll(HIDDEN, '').replace(/^[\s,;<>()]+|[\s,;<>()]+$/g, '')
  return name || undefined
}

const MAIL = /[^\s<>()[\]"',;:]{1,64}@[^\s<>()[\]"',;:]{1,253}/g
const OF_A_ROLE = /^abuse(?:[._+-]?(?:complaints?|contact|desk|domains?|noc|reports?|team))?$/i
const MAX_LENGTH = 500

/**
 * An address for abuse reports at a registrar or host. Never the owner's, and never one on the domain itself, which would only
 * warn the attacker.
 */
function abuseContact(
  text: string | undefined,
  event: ThreatEvent,
  domain: string | undefined,
): string | undefined {
  const owner = event.observedData?.whois?.ownerEmail?.trim().toLowerCase()
  const own = domain && (getDomain(domain) ?? domain)
  for (const [found] of text?.slice(0, MAX_LENGTH).matchAll(MAIL) ?? []) {
    const value = parseEmail(found)?.value
    if (!value) continue
    const [local = '', host = ''] = value.split('@')
    if (
      OF_A_ROLE.test(local) &&
      !(own && (host === own || host.endsWith(`.${own}`))) &&
      value.toLowerCase() !== owner
    )
      return value
  }
  return undefined
}
