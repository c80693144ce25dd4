import type { DnsRecord, ObservedData, ThreatEvent, Website, Whois } from '../../../api/threat-event.ts'
import { clip } from '../../../blocks/text.ts'
import { ownAddress, safeDomain, safeEmail, safeLine, safeText, safeUrl } from '../defang.ts'
import { dated, fact, type Line, type Part } from './lines.ts'

/** A part of the card: lines, or rows under a head; `left` counts what was too much, of what `noun` names. */
export interface Section {
  heading: string
  lines: readonly Line[]
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] }
  left: number
  noun: string
  /** One line for each field, or for each of many records; or texts with lines of their own. */
  style: 'fields' | 'records' | 'quotes'
}

/** Everything a threat event says, in the order a responder needs it, with every string made safe. */
export interface Card {
  id: string
  title: string
  main: readonly Line[]
  sections: readonly Section[]
  notes: readonly string[]
}

export interface Frame {
  /** The id that was asked for: the event's own may be missing. */
  id: string
  now: Date
  /** The service's own origin: addresses there are the only ones to link. */
  origin: string
  /** Characters the whole card may have, from 1,000; the lists in it get what the rest leaves them. */
  room: number
}

const NAME = 150
const COMMENT = 600
const STATUSES = 400
/** What the lists get at least, however much the rest takes. */
const LEAST_ROOM = 800

export function threatCard(event: ThreatEvent, frame: Frame): Card {
  const { observedData = {}, comments = [] } = event
  const id = safeLine(event.id || frame.id, NAME)
  const main = mainLines(event, id, frame.now)
  const website = section('Website', websiteLines(observedData.website))
  const whois = section('WHOIS', whoisLines(observedData.whois, frame))
  const captures = section('Captures', captureLines(observedData, frame))
  const notes = unreadableNote(event.unreadable)
  const fixed = sizeOf([main, website, whois, captures, notes])
  const room = Math.max(LEAST_ROOM, frame.room - fixed)
  const said = commentsSection(comments, frame.now, room * 0.4)
  return {
    id: frame.id,
    title: `Threat event: ${event.domain ? safeDomain(event.domain, 120) : id}`,
    main,
    sections: [
      ...website,
      ...dnsSection(observedData.dnsRecords ?? [], room - sizeOf(said)),
      ...whois,
      ...said,
      ...captures,
    ],
    notes,
  }
}

/** Characters of every string in it: a close upper bound of what will be shown. */
function sizeOf(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (part instanceof Date || typeof part !== 'object' || part === null) return 0
  return Object.values(part).reduce((sum: number, inner) => sum + sizeOf(inner) + PUNCTUATION, 0)
}

const PUNCTUATION = 2

const line = (text: string | undefined, max = NAME): string | undefined =>
  text === undefined ? undefined : safeLine(text, max)

const section = (heading: string, lines: readonly Line[]): Section[] =>
  lines.length === 0 ? [] : [{ heading, lines, left: 0, noun: '', style: 'fields' }]

function mainLines(event: ThreatEvent, id: string, now: Date): Line[] {
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

/** `High (HIGH)`, or whichever of the two there is. */
function namedAs(name: string | undefined, code: string | undefined): string | undefined {
  return name && code ? `${name} (${code})` : name || code
}

function websiteLines(website: Website | undefined): Line[] {
  if (!website) return []
  const { pageTitle, pageDescription, originUrl, finalUrl, redirectionTypes = [] } = website
  return [
    ...fact('Page title', line(pageTitle, 300)),
    ...fact('Page description', line(pageDescription, 500)),
    ...fact('Address reported', originUrl && safeUrl(originUrl)),
    ...fact('Address it leads to', finalUrl && safeUrl(finalUrl)),
    ...fact('Redirections', listed(redirectionTypes)),
  ]
}

/** What an item takes besides its own text: a line's end, a date, an empty cell's dash. */
const ITEM = 24

/** As many as have room, and how many more. */
function listed(items: readonly string[]): string | undefined {
  const { shown, left } = fill(items, STATUSES, (item) => safeLine(item, 100))
  if (shown.length === 0) return undefined
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}

/** Items made ready one by one while there is room for `room` characters; the rest is only counted. */
function fill<T, R extends string | readonly string[]>(
  items: readonly T[],
  room: number,
  ready: (item: T) => R,
): { shown: R[]; left: number } {
  const shown: R[] = []
  let size = 0
  for (const item of items) {
    const made = ready(item)
    size += sizeOf(made) + ITEM
    if (size > room) break
    shown.push(made)
  }
  return { shown, left: items.length - shown.length }
}

const DNS_HEAD = ['Type', 'Name', 'Address', 'Country', 'Autonomous system']
/** One short of Slack's 100 rows: the head is one. */
const MAX_ROWS = 99

function dnsSection(records: readonly DnsRecord[], room: number): Section[] {
  if (records.length === 0) return []
  const { shown: rows, left } = fill(records.slice(0, MAX_ROWS), room, dnsRow)
  return [
    {
      heading: counted(records.length, 'DNS record'),
      lines: rows.map((row) => ({ parts: [row.filter(Boolean).join(' · ') || '–'] })),
      table: { head: DNS_HEAD, rows },
      left: left + Math.max(0, records.length - MAX_ROWS),
      noun: 'DNS record',
      style: 'records',
    },
  ]
}

function dnsRow({ type, name, ip, countryCode, autonomousSystem }: DnsRecord): string[] {
  const system = [asNumber(autonomousSystem?.number), line(autonomousSystem?.organization, 100)]
  return [
    line(type, 20) ?? '',
    name ? clip(safeDomain(name, 120), 180) : '',
    line(ip, 80) ?? '',
    line(countryCode, 20) ?? '',
    system.filter(Boolean).join(' '),
  ]
}

/** Autonomous systems are written AS64500; the service may leave the letters out. */
function asNumber(number: string | undefined): string | undefined {
  const shown = line(number, 20)
  return shown && /^\d+$/.test(shown) ? `AS${shown}` : shown
}

function whoisLines(whois: Whois | undefined, frame: Frame): Line[] {
  if (!whois) return []
  const { now } = frame
  return [
    ...fact('Owner', line(whois.ownerName)),
    ...fact("Owner's organisation", line(whois.ownerOrganisation)),
    ...fact("Owner's e-mail", whois.ownerEmail && safeEmail(whois.ownerEmail, 200)),
    ...fact('Registrar', line(whois.registrarName)),
    ...fact('Statuses', listed(whois.statuses ?? [])),
    ...fact('Created', ...dated(whois.creationDate, now)),
    ...fact('Updated', ...dated(whois.updatedDate, now)),
    ...fact('Expires', ...dated(whois.expirationDate, now)),
    ...fact('WHOIS record', addressPart(whois.resourceUrl, frame)),
  ]
}

function commentsSection(comments: NonNullable<ThreatEvent['comments']>, now: Date, room: number): Section[] {
  if (comments.length === 0) return []
  const { shown, left } = fill(comments, room, ({ content = '' }) => safeText(content, COMMENT))
  return [
    {
      heading: counted(comments.length, 'comment'),
      lines: shown.map((content, index) => {
        const at = dated(comments[index]?.date, now)
        return { parts: [...at, ...(at.length > 0 ? [': '] : []), content || '(empty)'] }
      }),
      left,
      noun: 'comment',
      style: 'quotes',
    },
  ]
}

/** What the service captured of the page: named, not fetched. */
function captureLines({ website }: ObservedData, frame: Frame): Line[] {
  return [
    ...fact('Screenshot', addressPart(website?.screenshotResourceUrl, frame)),
    ...fact('Page source', addressPart(website?.sourceResourceUrl, frame)),
  ]
}

function addressPart(address: string | undefined, { origin }: Frame): Part | undefined {
  if (!address) return undefined
  const own = ownAddress(address, origin)
  return own ? { link: own } : safeUrl(address)
}

function unreadableNote(paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const named = paths.slice(0, 10).map((path) => path.replaceAll('.', ' › '))
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : ''
  return [`In a form that could not be read, hence left out: ${named.join(', ')}${more}.`]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
