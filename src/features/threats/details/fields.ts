import type { Line } from '@signalman/slack'
import { clip } from '@signalman/slack'
import type { DnsRecord, ObservedData, ThreatEvent, Website, Whois } from '../../../service/threat-event.ts'
import type { OddPart } from '../../../service/unread.ts'
import { ownAddress, safeDomain, safeEmail, safeLine, safeUrl } from '../defang.ts'
import { dated, fact, listed } from './lines.ts'

/** When the details are shown, and which service they come from. */
export interface DetailsSource {
  now: Date
  /** The service's own origin: files are fetched from there only. */
  origin: string
}

const NAME = 150
/** Most characters of a list of statuses or redirections on a card. */
const LISTED = 400
/** Most characters of a part whose type is not the expected one. */
const ODD = 300

const line = (text: string | undefined, max = NAME): string | undefined =>
  text === undefined ? undefined : safeLine(text, max)

export function mainLines(event: ThreatEvent, id: string, now: Date): Line[] {
  const { domain, criticality, type, brand, date, customerId } = event
  return [
    ...fact('Domain', domain && safeDomain(domain)),
    ...fact('Criticality', namedAs(line(criticality?.name), line(criticality?.level))),
    ...fact('Type', line(type)),
    ...fact('Brand', namedAs(line(brand?.name), brand?.id === undefined ? undefined : `id ${brand.id}`)),
    ...fact('Brand monitored since', ...dated(brand?.monitoredSince, now)),
    ...fact('Brand grouping key', line(brand?.groupingKey)),
    ...fact('When', ...dated(date, now)),
    ...fact('Customer', customerId === undefined ? undefined : String(customerId)),
    ...fact('Event', id),
  ]
}

/** `High (HIGH)`, or the only one of the two that there is. */
function namedAs(name: string | undefined, code: string | undefined): string | undefined {
  return name && code ? `${name} (${code})` : name || code
}

interface Lengths {
  title: number
  description: number
  address: number
}

const ON_CARD: Lengths = { title: 300, description: 500, address: 350 }
const IN_FULL: Lengths = { title: 2500, description: 2500, address: 2500 }

export function websiteLines(website: Website | undefined): Line[] {
  return [
    ...pageLines(website, ON_CARD),
    ...fact('Redirections', listed(website?.redirectionTypes ?? [], LISTED)),
  ]
}

/** The fields of the page except the redirections, at the length that a window takes. */
export const wholePageLines = (website: Website | undefined): Line[] => pageLines(website, IN_FULL)

function pageLines(website: Website | undefined, max: Lengths): Line[] {
  if (!website) return []
  const { pageTitle, pageDescription, originUrl, finalUrl } = website
  return [
    ...fact('Page title', line(pageTitle, max.title)),
    ...fact('Page description', line(pageDescription, max.description)),
    ...fact('Address reported', originUrl && safeUrl(originUrl, max.address)),
    ...fact('Address it leads to', finalUrl && safeUrl(finalUrl, max.address)),
  ]
}

/** Whether the card shortens anything of the website. */
export function isWebsiteShortened(website: Website | undefined): boolean {
  const whole = wholePageLines(website)
  const shown = pageLines(website, ON_CARD)
  const isListCut = / more$/.test(listed(website?.redirectionTypes ?? [], LISTED) ?? '')
  return isListCut || JSON.stringify(whole) !== JSON.stringify(shown)
}

export function dnsRow({ type, name, ip, countryCode, autonomousSystem }: DnsRecord): string[] {
  const system = [asNumber(autonomousSystem?.number), line(autonomousSystem?.organization, 100)]
  return [
    line(type, 20) ?? '',
    name ? clip(safeDomain(name, 120), 180) : '',
    line(ip, 80) ?? '',
    line(countryCode, 20) ?? '',
    system.filter(Boolean).join(' '),
  ]
}

/** A DNS record as one line. */
export const dnsLine = (row: readonly string[]): Line => row.filter(Boolean).join(' · ') || '–'

/** Autonomous systems are written AS64500; the service may omit the letters. */
function asNumber(number: string | undefined): string | undefined {
  const shown = line(number, 20)
  return shown && /^\d+$/.test(shown) ? `AS${shown}` : shown
}

/** The WHOIS record. The owner's name and e-mail address are only in an event that was read with its personal data. */
export function whoisLines(
  whois: Whois | undefined,
  { now, reported }: { now: Date; reported?: Date | undefined },
): Line[] {
  if (!whois) return []
  const { ownerName, ownerEmail, ownerOrganisation, registrarName, resourceUrl } = whois
  return [
    ...fact('Owner', line(ownerName)),
    ...fact("Owner's e-mail", ownerEmail && safeEmail(ownerEmail, 200)),
    ...fact("Owner's organisation", line(ownerOrganisation)),
    ...fact('Registrar', line(registrarName)),
    ...fact('Statuses', listed(whois.statuses ?? [], LISTED)),
    ...fact('Created', ...dated(whois.creationDate, now, reported)),
    ...fact('Updated', ...dated(whois.updatedDate, now)),
    ...fact('Expires', ...dated(whois.expirationDate, now)),
    ...fact('WHOIS record', resourceUrl && safeUrl(resourceUrl)),
  ]
}

/** The parts whose type is not that of the interface, each under its path in the event. */
export const oddLines = (parts: readonly OddPart[]): Line[] =>
  parts.flatMap(({ path, text }) => fact(path.replaceAll('.', ' › '), line(text, ODD) || '(empty)'))

/** Page files at other addresses, which are not fetched; those at the service have buttons. */
export function pageFileLines({ website }: ObservedData, { origin }: Pick<DetailsSource, 'origin'>): Line[] {
  const elsewhere = (address: string | undefined): string | undefined =>
    address && !ownAddress(address, origin)
      ? `${safeUrl(address)} (not at the service: it is not fetched)`
      : undefined
  return [
    ...fact('Screenshot', elsewhere(website?.screenshotResourceUrl)),
    ...fact('Page source', elsewhere(website?.sourceResourceUrl)),
  ]
}
