import type { SuggestedCommand } from '@signalman/runtime'
import type { Line } from '@signalman/slack'
import { counted, grouped } from '../../../domain/wording.ts'
import type { DnsRecord, ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain, safeLine, safeText } from '../defang.ts'
import type { RedactedEvent } from '../privacy/redact-event.ts'
import { signalsOf } from '../signals/signals.ts'
import {
  dnsLine,
  dnsRow,
  isWebsiteShortened,
  mainLines,
  oddLines,
  pageFileLines,
  websiteLines,
  whoisLines,
} from './fields.ts'
import { dated, fact, fitItems, sizeOf } from './lines.ts'

/** One section of the details; `left` counts the items, called `noun`, that did not fit. */
export interface Section {
  heading: string
  lines: readonly Line[]
  left: number
  noun: string
  /** `fields` and `records` have one line each; `quotes` are texts of several lines. */
  style: 'fields' | 'records' | 'quotes'
  /** Opens all of it, when this shows a part. */
  whole?: SuggestedCommand
}

/** The details of a threat event, with every string made safe. */
export interface Overview {
  id: string
  title: string
  main: readonly Line[]
  sections: readonly Section[]
  notes: readonly string[]
}

interface Frame {
  /** The id that was asked for: the event's own may be missing or differ. */
  id: string
  now: Date
  /** The service's own origin: files are fetched from there only. */
  origin: string
}

const NAME = 150
const COMMENT = 600
/** Characters of the whole overview; its lists get at least `MIN_LIST_LENGTH`, however long the rest is. */
const MAX_LENGTH = 14_000
const MIN_LIST_LENGTH = 800

/** Everything that the card does not show, in the order in which a responder needs it. */
export function overviewOf(redacted: RedactedEvent, frame: Frame): Overview {
  const { event } = redacted
  const { observedData = {}, comments = [] } = event
  const id = safeLine(event.id || frame.id, NAME)
  const main = mainLines(event, id, frame.now)
  const signals = section(
    'Signals',
    signalsOf(redacted).flatMap(({ says, because }) =>
      fact(capital(safeLine(says, NAME)), safeLine(because, 400)),
    ),
  )
  const website = websiteSection(event, frame)
  const whois = section('WHOIS', [
    ...ownerLine(redacted),
    ...whoisLines(observedData.whois, { ...frame, reported: event.date }),
  ])
  const pageFiles = section('Captures', pageFileLines(observedData, frame))
  const notes = notesOn(redacted, frame.id)
  const odd = oddSection(event)
  const listLength = Math.max(
    MIN_LIST_LENGTH,
    MAX_LENGTH - sizeOf([main, signals, website, whois, pageFiles, odd, notes]),
  )
  const said = commentsSection(comments, frame, listLength * 0.4)
  return {
    id: frame.id,
    title: event.domain ? safeDomain(event.domain, 120) : id,
    main,
    sections: [
      ...signals,
      ...website,
      ...dnsSection(observedData.dnsRecords ?? [], frame.id, listLength - sizeOf(said)),
      ...whois,
      ...said,
      ...pageFiles,
      ...odd,
    ],
    notes,
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const section = (heading: string, lines: readonly Line[]): Section[] =>
  lines.length === 0 ? [] : [{ heading, lines, left: 0, noun: '', style: 'fields' }]

/** Says that the owner's name is kept back. */
function ownerLine({ event, owner }: RedactedEvent): Line[] {
  const { ownerName, ownerEmail } = event.observedData?.whois ?? {}
  return owner && !ownerName && !ownerEmail ? fact('Owner', `${owner} kept back: personal data`) : []
}

function websiteSection({ observedData }: ThreatEvent, { id }: Frame): Section[] {
  const website = observedData?.website
  const whole = { label: 'Website in full', line: `/threat website ${id}` }
  return section('Website', websiteLines(website)).map((shown) =>
    isWebsiteShortened(website) ? { ...shown, whole } : shown,
  )
}

const MOST_RECORDS = 40

function dnsSection(records: readonly DnsRecord[], id: string, maxLength: number): Section[] {
  if (records.length === 0) return []
  const { shown } = fitItems(records.slice(0, MOST_RECORDS), maxLength, dnsRow)
  const left = records.length - shown.length
  const whole = { label: `All ${records.length} DNS records`, line: `/threat dns ${id}` }
  return [
    {
      heading: counted(records.length, 'DNS record'),
      lines: shown.map(dnsLine),
      left,
      noun: 'DNS record',
      style: 'records',
      ...(left > 0 && { whole }),
    },
  ]
}

const MOST_ODD = 15

/** What is not as the interface has it, as it came: all of it is counted, and as much shown as fits. */
function oddSection({ asItCame, unreadable }: ThreatEvent): Section[] {
  const lines = oddLines(asItCame.slice(0, MOST_ODD))
  const left = unreadable.count - lines.length
  return section('In another form than expected, as it came', lines).map((shown) => ({
    ...shown,
    left,
    noun: 'part',
  }))
}

const MOST_COMMENTS = 10

function commentsSection(
  comments: NonNullable<ThreatEvent['comments']>,
  { id, now }: Frame,
  maxLength: number,
): Section[] {
  if (comments.length === 0) return []
  const { shown } = fitItems(comments.slice(0, MOST_COMMENTS), maxLength, ({ content = '' }) =>
    safeText(content, COMMENT),
  )
  const left = comments.length - shown.length
  const isCut = left > 0 || comments.some(({ content = '' }) => content.length > COMMENT)
  const whole = { label: `All ${counted(comments.length, 'comment')}`, line: `/threat comments ${id}` }
  return [
    {
      heading: counted(comments.length, 'comment'),
      lines: shown.map((content, index) => {
        const at = dated(comments[index]?.date, now)
        return [...at, ...(at.length > 0 ? [': '] : []), content || '(empty)']
      }),
      left,
      noun: 'comment',
      style: 'quotes',
      ...(isCut && { whole }),
    },
  ]
}

/** Notes on what is kept back, and on an event other than the one that was asked for. */
const notesOn = (redacted: RedactedEvent, asked: string): string[] => [
  ...keptBackNote(redacted),
  ...otherIdNote(redacted.event, asked),
]

function keptBackNote({ elsewhere }: RedactedEvent): string[] {
  if (elsewhere === 0) return []
  const where = elsewhere === 1 ? 'one other place' : `${grouped(elsewhere)} other places`
  return [`The owner of the domain is named in ${where} of this event, and is kept back there too.`]
}

/** The service may answer with an event of another id. */
export function otherIdNote({ id }: Pick<ThreatEvent, 'id'>, asked: string): string[] {
  if (!id || id.toLowerCase() === asked.toLowerCase()) return []
  return [`Asked for ${asked}; the service answered with an event whose own id is ${safeLine(id, NAME)}.`]
}
