import { formatElapsed } from '@signalman/runtime'
import { clip, type Line, textElement } from '@signalman/slack'
import { capitalize } from '../../../domain/wording.ts'
import type { DnsRecord, ThreatEvent, Website, Whois } from '../../../service/threat-event.ts'
import { safeDomain, safeEmail, safeLine, safeUrl } from '../rules/defang.ts'

export const MAX_FIELD_LENGTH = 150

const toSafeLine = (text: string | undefined, max = MAX_FIELD_LENGTH): string | undefined =>
  text === undefined ? undefined : safeLine(text, max)

/** Without the domain, which heads the window. */
export function mainLines(event: ThreatEvent, now: Date): Line[] {
  const { criticality, type, brand, date, customerId } = event
  return [
    ...factLine('Criticality', nameWithCode(toSafeLine(criticality?.name), toSafeLine(criticality?.level))),
    ...factLine('Type', type && capitalize(toWords(type))),
    ...factLine(
      'Brand',
      nameWithCode(toSafeLine(brand?.name), brand?.id === undefined ? undefined : `id ${brand.id}`),
    ),
    ...factLine('Brand monitored since', ...formatDate(brand?.monitoredSince, now)),
    ...factLine('Brand grouping key', toSafeLine(brand?.groupingKey)),
    ...factLine('When', ...formatDate(date, now)),
    ...factLine('Customer', customerId === undefined ? undefined : String(customerId)),
  ]
}

/** The service's constants in words: `DOMAIN_REPORTED` → `domain reported`, `HTTP_301` → `HTTP 301`. */
export const toWords = (constant: string, max = MAX_FIELD_LENGTH): string =>
  safeLine(constant.replaceAll('_', ' ').toLowerCase(), max)
    .replaceAll(/\bhttp\b/g, 'HTTP')
    .replaceAll(/\bjavascript\b/g, 'JavaScript')

/** `Very likely (VLIKELY)`, or only the name or code if the other is missing or the same. */
function nameWithCode(name: string | undefined, code: string | undefined): string | undefined {
  return name && code && name.toLowerCase() !== code.toLowerCase() ? `${name} (${code})` : name || code
}

/** For titles, descriptions, addresses, and lists. */
const MAX_LONG_FIELD_LENGTH = 2500

export function websiteLines(website: Website | undefined): Line[] {
  if (!website) return []
  const { pageTitle, pageDescription, originUrl, finalUrl, redirectionTypes = [] } = website
  return [
    ...factLine('Page title', toSafeLine(pageTitle, MAX_LONG_FIELD_LENGTH)),
    ...factLine('Page description', toSafeLine(pageDescription, MAX_LONG_FIELD_LENGTH)),
    ...factLine('Address reported', originUrl && safeUrl(originUrl, MAX_LONG_FIELD_LENGTH)),
    ...factLine('Address it leads to', finalUrl && safeUrl(finalUrl, MAX_LONG_FIELD_LENGTH)),
    ...factLine('Redirections', joinItems(redirectionTypes.map((type) => toWords(type)))),
  ]
}

/** Without the name if it's the domain that the window is about. */
export function dnsLine(
  { type, name, ip, countryCode, autonomousSystem }: DnsRecord,
  { domain }: Pick<ThreatEvent, 'domain'>,
): Line {
  const columns = [
    toSafeLine(type, 20),
    name && name.toLowerCase() !== domain?.toLowerCase() && clip(safeDomain(name, 120), 180),
    toSafeLine(ip, 80),
    toSafeLine(countryCode, 20),
    [formatAsNumber(autonomousSystem?.number), toSafeLine(autonomousSystem?.organization, 100)]
      .filter(Boolean)
      .join(' '),
  ]
  return columns.filter(Boolean).join(' · ') || '–'
}

/** Autonomous systems are written AS64500; the service may omit the letters. */
export function formatAsNumber(number: string | undefined): string | undefined {
  const shown = toSafeLine(number?.trim(), 20)
  return shown && /^\d+$/.test(shown) ? `AS${shown}` : shown
}

/** The lines of the WHOIS record. Includes the owner only if the event still has them. */
export function whoisLines(whois: Whois | undefined, now: Date): Line[] {
  if (!whois) return []
  const { ownerName, ownerEmail, ownerOrganisation, registrarName, resourceUrl } = whois
  return [
    ...factLine('Owner', toSafeLine(ownerName)),
    ...factLine('Owner’s email', ownerEmail && safeEmail(ownerEmail)),
    ...factLine('Owner’s organization', toSafeLine(ownerOrganisation)),
    ...factLine('Registrar', toSafeLine(registrarName)),
    ...factLine('Statuses', joinItems(whois.statuses ?? [])),
    ...factLine('Created', ...formatDate(whois.creationDate, now)),
    ...factLine('Updated', ...formatDate(whois.updatedDate, now)),
    ...factLine('Expires', ...formatDate(whois.expirationDate, now)),
    ...factLine('WHOIS record', resourceUrl && safeUrl(resourceUrl)),
  ]
}

/** A part of a line: safe text, or a date. */
type LinePart = string | Date

/** `Label: parts`, or nothing if every part is empty. */
function factLine(label: string, ...parts: (LinePart | undefined)[]): Line[] {
  const shownParts = parts.flatMap((part) => (part === undefined || part === '' ? [] : [part]))
  return shownParts.length === 0 ? [] : [[textElement(`${label}: `, { bold: true }), ...shownParts]]
}

/** A date, and how far it is from now. Empty if there is no date. */
export const formatDate = (at: Date | undefined, now: Date): LinePart[] =>
  at ? [at, at > now ? ` (in ${formatElapsed(now, at)})` : ` (${formatElapsed(at, now)} ago)`] : []

/** Joins and defangs the items that fit in a long field, and counts the rest. */
function joinItems(items: readonly string[]): string | undefined {
  const shownItems: string[] = []
  let charactersLeft = MAX_LONG_FIELD_LENGTH
  for (const item of items) {
    const text = safeLine(item, 100)
    charactersLeft -= text.length + 2
    if (charactersLeft < 0) break
    shownItems.push(text)
  }
  const hiddenCount = items.length - shownItems.length
  return shownItems.length === 0
    ? undefined
    : shownItems.join(', ') + (hiddenCount > 0 ? ` and ${hiddenCount} more` : '')
}
