import type { Unread } from '../../../api/fields.ts'
import type { DnsRecord, ThreatEvent } from '../../../api/threat-event.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { SuggestedCommand } from '../../../errors.ts'
import { ownAddress, safeDomain, safeLine, safeText } from '../defang.ts'
import { watchLine } from '../indicators/watch.ts'
import {
  type Around,
  captureLines,
  DNS_HEAD,
  dnsLine,
  dnsRow,
  isWebsiteShortened,
  mainLines,
  websiteLines,
  whoisLines,
} from './fields.ts'
import { type CardLine, dated } from './lines.ts'
import { fill, sizeOf } from './room.ts'

/** A part of the card: lines, or rows under a head; `left` counts what was too much, of what `noun` names. */
export interface Section {
  heading: string
  lines: readonly CardLine[]
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] }
  left: number
  noun: string
  /** One line for each field, or for each of many records; or texts with lines of their own. */
  style: 'fields' | 'records' | 'quotes'
  /** Opens the whole of it, where the card shows a part. */
  whole?: SuggestedCommand
}

/** Everything a threat event says, in the order a responder needs it, with every string made safe. */
export interface ThreatCard {
  id: string
  title: string
  main: readonly CardLine[]
  sections: readonly Section[]
  notes: readonly string[]
  /** What can be done with it. */
  actions: readonly SuggestedCommand[]
}

export interface Frame extends Around {
  /** The id that was asked for: the event's own may be missing. */
  id: string
  /** Characters the whole card may have, from 1,000; the lists in it get what the rest leaves them. */
  room: number
  /** With the personal data of the WHOIS record: never so unless someone asked for it. */
  personal: boolean
}

const NAME = 150
const COMMENT = 600
/** What the lists get at least, however much the rest takes. */
const LEAST_ROOM = 800

export function threatCard(event: ThreatEvent, frame: Frame): ThreatCard {
  const { observedData = {}, comments = [] } = event
  const id = safeLine(event.id || frame.id, NAME)
  const main = mainLines(event, id, frame.now)
  const website = websiteSection(event, frame)
  const whois = section('WHOIS', whoisLines(observedData.whois, frame, frame.personal))
  const captures = section('Captures', captureLines(observedData, frame))
  const notes = unreadableNote(event.unreadable)
  const fixed = sizeOf([main, website, whois, captures, notes])
  const room = Math.max(LEAST_ROOM, frame.room - fixed)
  const said = commentsSection(comments, frame, room * 0.4)
  return {
    id: frame.id,
    title: `Threat event: ${event.domain ? safeDomain(event.domain, 120) : id}`,
    main,
    sections: [
      ...website,
      ...dnsSection(observedData.dnsRecords ?? [], frame.id, room - sizeOf(said)),
      ...whois,
      ...said,
      ...captures,
    ],
    notes,
    actions: actionsOf(event, frame),
  }
}

function actionsOf(event: ThreatEvent, { id, origin }: Frame): SuggestedCommand[] {
  const { website, whois } = event.observedData ?? {}
  const isOwn = (address: string | undefined): boolean =>
    address !== undefined && ownAddress(address, origin) !== undefined
  const watch = watchLine(event)
  return [
    { label: 'Share to channel', line: `/threat ${id} --share` },
    ...(whois ? [{ label: 'WHOIS', line: `/threat whois ${id}` }] : []),
    ...(isOwn(website?.screenshotResourceUrl)
      ? [{ label: 'Screenshot', line: `/threat screenshot ${id}` }]
      : []),
    ...(isOwn(website?.sourceResourceUrl) ? [{ label: 'Page source', line: `/threat source ${id}` }] : []),
    { label: 'Export indicators', line: `/threat export ${id}` },
    { label: 'Copy', line: `/threat copy ${id}` },
    ...(watch ? [{ label: 'Watch this domain', line: watch }] : []),
  ]
}

const section = (heading: string, lines: readonly CardLine[]): Section[] =>
  lines.length === 0 ? [] : [{ heading, lines, left: 0, noun: '', style: 'fields' }]

function websiteSection({ observedData }: ThreatEvent, { id }: Frame): Section[] {
  const website = observedData?.website
  const whole = { label: 'Website in full', line: `/threat website ${id}` }
  return section('Website', websiteLines(website)).map((shown) =>
    isWebsiteShortened(website) ? { ...shown, whole } : shown,
  )
}

/** One short of Slack's 100 rows: the head is one. */
const MAX_ROWS = 99

function dnsSection(records: readonly DnsRecord[], id: string, room: number): Section[] {
  if (records.length === 0) return []
  const { shown: rows, left: tooMuch } = fill(records.slice(0, MAX_ROWS), room, dnsRow)
  const left = tooMuch + Math.max(0, records.length - MAX_ROWS)
  const whole = { label: `All ${records.length} DNS records`, line: `/threat dns ${id}` }
  return [
    {
      heading: counted(records.length, 'DNS record'),
      lines: rows.map(dnsLine),
      table: { head: DNS_HEAD, rows },
      left,
      noun: 'DNS record',
      style: 'records',
      ...(left > 0 && { whole }),
    },
  ]
}

function commentsSection(
  comments: NonNullable<ThreatEvent['comments']>,
  { id, now }: Frame,
  room: number,
): Section[] {
  if (comments.length === 0) return []
  const { shown, left } = fill(comments, room, ({ content = '' }) => safeText(content, COMMENT))
  const isCut = left > 0 || comments.some(({ content = '' }) => content.length > COMMENT)
  const whole = { label: `All ${counted(comments.length, 'comment')}`, line: `/threat comments ${id}` }
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
      ...(isCut && { whole }),
    },
  ]
}

function unreadableNote({ count, paths }: Unread): string[] {
  if (count === 0) return []
  const named = paths.slice(0, 10).map((path) => path.replaceAll('.', ' › '))
  const more = count > named.length ? ` and ${grouped(count - named.length)} more` : ''
  return [`In a form that could not be read, hence left out: ${named.join(', ')}${more}.`]
}
