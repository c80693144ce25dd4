import { DAY_MS, formatDuration, formatElapsed } from '@signalman/runtime'
import { clip, type Line } from '@signalman/slack'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain, safeLine, safeUrl } from '../rules/defang.ts'
import type { EventSnapshot } from '../rules/event-snapshot.ts'
import { HIDDEN_PATH, type ShownEvent } from '../rules/shown-event.ts'
import { daysBeforeReport, findRedirect } from '../rules/signals.ts'
import { readPage } from '../rules/values.ts'
import { formatAsNumber, toWords } from './fields.ts'
import { otherIdNote } from './windows.ts'

/** The facts that a responder needs first, safe to show, in at most eight lines. */
export interface ThreatCard {
  id: string
  /** Criticality, kind, and brand. */
  verdict: string
  /** The domain, which is the headline, and then redirects, age, and hosting. */
  lines: readonly string[]
  /** Who has the case, when the event was reported, and, on a card for everyone, the ID. */
  footer: Line
}

interface CardOptions {
  id: string
  now: Date
  /** `Taken by Ann`; undefined if there is no case. */
  caseState?: string | undefined
}

/** The length that fits on two lines of a phone, 390 pixels wide. */
const MAX_LINE_LENGTH = 90
/** A longer address is cut off. Details has the whole one. */
const MAX_URL_LENGTH = 60
const MAX_PATH_LENGTH = 28

export function buildThreatCard(shown: ShownEvent, options: CardOptions): ThreatCard {
  const { event } = shown
  const lines = [
    // In ASCII, with its other spelling.
    event.domain ? safeDomain(event.domain, MAX_LINE_LENGTH) : 'Domain not known',
    redirectLine(event),
    ageLine(event),
    hostLine(event),
  ]
  return {
    id: options.id,
    verdict: clip(formatVerdict(event), MAX_LINE_LENGTH),
    lines: lines.flatMap((line) => (line ? [clip(line, MAX_LINE_LENGTH)] : [])),
    footer: formatFooter(shown, options),
  }
}

/** Builds the card that a case stores. */
export function toSnapshot(shown: ShownEvent, options: CardOptions): EventSnapshot {
  const { verdict, lines } = buildThreatCard(shown, options)
  return {
    verdict,
    lines,
    notes: buildNotes(shown, options.id),
    readAt: options.now.toISOString(),
    reportedAt: shown.event.date?.toISOString(),
  }
}

/** Where the page leads: the path if it's on the domain itself, otherwise the host that it really is on. Details has the whole URL. */
function redirectLine(event: ThreatEvent): string | undefined {
  const { originUrl, finalUrl } = event.observedData?.website ?? {}
  if (!finalUrl) return originUrl ? `Reported at ${safeUrl(originUrl, MAX_URL_LENGTH)}` : undefined
  const url = URL.parse(finalUrl)
  if (!url?.host) return `Leads to ${safeUrl(finalUrl, MAX_URL_LENGTH)}`
  const redirect = findRedirect(event)
  if (redirect)
    return `Leads to ${clip(safeDomain(url.host, MAX_URL_LENGTH), MAX_URL_LENGTH)} (${redirect.to})`
  const domain = event.domain?.trim().toLowerCase() ?? ''
  // The headline has the domain's other spelling, but not that of what is before it.
  if (url.host !== domain)
    return `Leads to ${url.host.replace(domain, '').includes('xn--') ? clip(safeDomain(url.host, MAX_URL_LENGTH), MAX_URL_LENGTH) : safeLine(url.host, MAX_URL_LENGTH)}`
  if (finalUrl.endsWith(HIDDEN_PATH)) return 'Leads to a page on it'
  const page = readPage(url)
  return `Leads to ${page === '/' ? 'its home page' : safeLine(page, MAX_PATH_LENGTH)}`
}

/** `Registered 3 d before the report`, or the date if it wasn't before that. It stays true on a card that isn't updated. */
function ageLine(event: ThreatEvent): string {
  const created = event.observedData?.whois?.creationDate
  if (!created) return 'Registration date not known'
  const days = daysBeforeReport(event)
  if (days === undefined) return `Registered ${created.toISOString().slice(0, 10)}`
  return `Registered ${days === 0 ? 'on the day of' : `${formatDuration(days * DAY_MS)} before`} the report`
}

/** `On 192[.]0[.]2[.]1 · Example Hosting`, of the first record that has an address. */
function hostLine(event: ThreatEvent): string | undefined {
  const records = event.observedData?.dnsRecords
  if (!records) return undefined
  if (records.length === 0) return 'No DNS records'
  const first =
    records.find(({ ip, type }) => ip && /^A{1,4}$/i.test(type ?? '')) ?? records.find(({ ip }) => ip)
  if (!first?.ip) return 'No address among its DNS records'
  const { number, organization } = first.autonomousSystem ?? {}
  const system = organization ? safeLine(organization, 30) : formatAsNumber(number)
  return [`On ${safeLine(first.ip, 45)}`, system].filter(Boolean).join(' · ')
}

function formatFooter(shown: ShownEvent, options: CardOptions): string {
  const { id, now, caseState } = options
  const { event } = shown
  const facts = [
    caseState,
    event.date && event.date <= now && `reported ${formatElapsed(event.date, now)} ago`,
    ...buildNotes(shown, id),
  ]
  // Who asked in private has just typed the ID. A shared card needs it for commands in its thread.
  return [facts.filter(Boolean).join(' · '), shown.isFactsOnly && id].filter(Boolean).join('\n')
}

/** Notes about another event's ID, and about fields that can't be read. */
function buildNotes({ event }: ShownEvent, id: string): string[] {
  return [
    ...otherIdNote(event, id),
    ...(event.unreadableCount > 0 ? [`${pluralize(event.unreadableCount, 'part')} can’t be read`] : []),
  ]
}

const MAX_BRAND_LENGTH = 40

/** The API's levels. Any other is shown as received. */
const DOTS: ReadonlyMap<string, string> = new Map([
  ['CRITICAL', '🔴'],
  ['HIGH', '🔴'],
  ['MEDIUM', '🟠'],
  ['LOW', '🟡'],
])

/** `🔴 HIGH · domain reported · imitates Example Shops`. The API documents only one kind, so all are read from their code. */
function formatVerdict({ criticality, type, brand }: ThreatEvent): string {
  const level = criticality?.level || criticality?.name
  const dot = DOTS.get((level ?? '').trim().toUpperCase()) ?? '⚪'
  const brandName = brand?.name || brand?.groupingKey
  return [
    `${dot} ${level ? safeLine(level, 30) : 'criticality not known'}`,
    type && toWords(type, 40),
    brandName && `imitates ${safeLine(brandName, MAX_BRAND_LENGTH)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
