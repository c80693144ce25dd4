import type { DnsRecord, ThreatEvent } from '../../../service/threat-event.ts'
import { findAddress, type Indicator, type Indicators } from '../rules/indicators.ts'
import { hideOwner } from '../rules/shown-event.ts'
import { parseAsNumber, parseIp } from '../rules/values.ts'

/** A registrar or host that gets a letter. */
export interface Addressee {
  role: 'registrar' | 'host'
  /** The name in the event, not defanged. */
  name: string | undefined
  /** For a host: the number of its autonomous system. */
  system: string | undefined
  /** For a host: its DNS records, quoted from the event. Not defanged. */
  records: readonly string[]
  /** The indicators that the addressee can act on. */
  evidence: readonly Indicator[]
}

/** The most letters to hosts in a kit. Addresses of other hosts are only in the indicator files. */
const MAX_HOSTS = 10

/** The registrar, if the domain itself may be blocked. A letter about one page of a domain would accuse the whole domain. */
export function findRegistrar(event: ThreatEvent, blockable: readonly Indicator[]): Addressee | undefined {
  if (!blockable.some(({ kind }) => kind === 'domain')) return undefined
  const { whois } = event.observedData ?? {}
  const name = hideOwner(whois?.registrarName ?? '', whois).trim() || undefined
  return { role: 'registrar', name, system: undefined, records: [], evidence: blockable }
}

/**
 * The network operators of the event's DNS records, without duplicates, and the number of those beyond the limit. An operator has no
 * name or number if the event doesn't have them. Returns none if there is nothing that a host could investigate.
 */
export function findHosts(
  event: ThreatEvent,
  { all }: Indicators,
  blockable: readonly Indicator[],
): { hosts: Addressee[]; skippedCount: number } {
  if (blockable.length === 0) return { hosts: [], skippedCount: 0 }
  const { dnsRecords = [], whois } = event.observedData ?? {}
  const bySystem = new Map<string, DnsRecord[]>()
  for (const record of dnsRecords) {
    const number = parseAsNumber(record.autonomousSystem?.number)?.value
    if ((!number && !parseIp(record.ip)) || isMailOrNameServer(record)) continue
    bySystem.set(number ?? '', [...(bySystem.get(number ?? '') ?? []), record])
  }
  const listed = new Set(dnsRecords.map(({ ip }) => parseIp(ip)?.value))
  const isUnlisted = (address: string | undefined): boolean => address !== undefined && !listed.has(address)
  // Nobody knows whose these addresses are.
  if (bySystem.size === 0 || blockable.some((indicator) => isUnlisted(findAddress(indicator))))
    bySystem.set('', bySystem.get('') ?? [])
  const hosts = [...bySystem].flatMap(([number, records]): Addressee[] => {
    const addresses = new Set(records.map(({ ip }) => parseIp(ip)?.value))
    // A page on an IP address concerns only the host of that address.
    const theirs = blockable.filter((indicator) => {
      const address = findAddress(indicator)
      return address === undefined || addresses.has(address) || (number === '' && isUnlisted(address))
    })
    if (theirs.length === 0) return []
    const organization = records.map(({ autonomousSystem }) => autonomousSystem?.organization).find(Boolean)
    const host: Addressee = {
      role: 'host',
      name: hideOwner(organization ?? '', whois).trim() || undefined,
      system: number || undefined,
      records: records.map((record) => hideOwner(quoteRecord(record), whois)),
      evidence: [
        ...new Set([
          ...all.filter(({ kind, value }) => kind.startsWith('ip') && addresses.has(value)),
          ...theirs,
        ]),
      ],
    }
    return [host]
  })
  return { hosts: hosts.slice(0, MAX_HOSTS), skippedCount: Math.max(0, hosts.length - MAX_HOSTS) }
}

/** These servers often belong to someone else. */
const isMailOrNameServer = ({ type }: DnsRecord): boolean => /^(?:mx|ns|txt|soa)$/i.test(type?.trim() ?? '')

/** `type A, name exa.mple, IP 192.0.2.1, AS 64500, Example Hosting, country NL`. Leaves out what the record doesn't have. */
function quoteRecord({ type, name, ip, countryCode, autonomousSystem }: DnsRecord): string {
  const fields = [
    ['type', type],
    ['name', name],
    ['IP', ip],
    ['AS', autonomousSystem?.number],
    ['organization', autonomousSystem?.organization],
    ['country', countryCode],
  ] as const
  return fields.flatMap(([label, value]) => (value?.trim() ? [`${label} ${value.trim()}`] : [])).join(', ')
}
