import type { Environment } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { defang, safeDomain, safeLine, safeUrl } from '../rules/defang.ts'
import { findBlockable, type Indicator, KIND_NAMES } from '../rules/indicators.ts'
import { type Addressee, findHosts, findRegistrar } from './addressees.ts'
import type { KitContent, KitFile, MissingPart } from './content.ts'

const MAX_LINE_LENGTH = 300
const MAX_EVIDENCE = 100

const REQUESTS: Readonly<Record<Addressee['role'], readonly string[]>> = {
  registrar: [
    'This letter is for the registrar of the domain below, which was reported as a threat.',
    'Please investigate, suspend the domain if it violates your terms or the law, and let us know what you decide.',
  ],
  host: [
    'This letter is for the host of the content below, which was reported as a threat.',
    'Please investigate, take it down if it violates your terms or the law, preserve your records of it, and let us know what you decide.',
  ],
}

/** Writes a plain-text letter for a person to review, sign, and send. Each text from the event is on one line, defanged. */
export function writeLetter(addressee: Addressee, report: Report): string {
  const { role, records, evidence } = addressee
  const { id, environment, event } = report
  const shown = evidence.slice(0, MAX_EVIDENCE)
  const hiddenCount = evidence.length - shown.length
  return [
    ...(environment === 'ote' ? ['TEST: this event is from the test environment. Do not send.'] : []),
    `To: ${formatRecipient(addressee)}`,
    'Abuse contact: look it up before you send this letter',
    `Subject: Abuse report on ${formatSubject(event, evidence)} (threat event ${id})`,
    '',
    ...REQUESTS[role],
    '',
    'What is known (times in UTC)',
    ...listFacts(report).map(([name, value]) => `- ${name}: ${value}`),
    ...(records.length > 0
      ? [
          '',
          'DNS records in the event, defanged',
          ...records.slice(0, MAX_EVIDENCE).map((record) => `- ${safeLine(record, MAX_LINE_LENGTH)}`),
        ]
      : []),
    '',
    'Evidence, defanged',
    ...shown.map((indicator) => `- ${KIND_NAMES[indicator.kind][0]}: ${defangIndicator(indicator)}`),
    ...(hiddenCount > 0 ? [`- and ${hiddenCount} more in the attached indicator files`] : []),
    '',
    'Evidence, unmodified (don’t open it; it may be harmful)',
    ...shown.map(({ kind, value }) => `- ${KIND_NAMES[kind][0]}: ${value}`),
    '',
    'manifest.json lists every file attached to this letter, with its SHA-256.',
    '',
    'Sent by (name, organization, contact details):',
    '',
  ].join('\n')
}

function formatRecipient({ role, name, system }: Addressee): string {
  const recipient = name ? safeLine(name, MAX_LINE_LENGTH) : `the ${role} (not named in the event)`
  return system ? `${recipient}, AS${system}` : recipient
}

/** The domain, or the first indicator if there is no domain. */
function formatSubject({ domain }: ThreatEvent, [first]: readonly Indicator[]): string {
  if (domain?.trim()) return safeDomain(domain, 120)
  return first ? defangIndicator(first) : 'a threat'
}

function defangIndicator({ kind, value }: Indicator): string {
  if (kind === 'domain') return safeDomain(value)
  return kind === 'url' ? safeUrl(value) : defang(value)
}

/** The content that all letters of a kit share. */
interface Report {
  id: string
  environment: Environment
  /** The event without the personal data of the domain's owner. */
  event: ThreatEvent
  /** The screenshot's file name in the kit; undefined if there is none. */
  screenshot: string | undefined
}

/** The facts of the event, one per line, defanged. */
function listFacts({ event, screenshot }: Report): [name: string, value: string][] {
  const { domain, type, criticality, brand, date, observedData: { whois, website } = {} } = event
  const line = (text: string | undefined): string => safeLine(text ?? '', MAX_LINE_LENGTH)
  const facts: [string, string][] = [
    ['Domain', domain ? safeDomain(domain) : ''],
    ['Reported', formatTime(date) ?? ''],
    ['Type', line(type)],
    ['Criticality', line(criticality?.level ?? criticality?.name)],
    ['Brand imitated', line(brand?.name)],
    ['Page title', line(website?.pageTitle)],
    ['Address reported', website?.originUrl ? safeUrl(website.originUrl) : ''],
    ['Leads to', website?.finalUrl ? safeUrl(website.finalUrl) : ''],
    ['Registrar', line(whois?.registrarName)],
    ['Domain registered', formatTime(whois?.creationDate) ?? ''],
    ['Record updated', formatTime(whois?.updatedDate) ?? ''],
    ['Screenshot', screenshot ?? 'none; manifest.json says why'],
  ]
  return facts.filter(([, value]) => value !== '')
}

/** A date in UTC; undefined if invalid. */
export const formatTime = (date: Date | undefined): string | undefined =>
  date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined

export function writeLetters(
  content: KitContent,
  screenshot: string | undefined,
): { letters: KitFile[]; missing: MissingPart[] } {
  const { id, environment, redactedEvent, fullEvent, indicators } = content
  const blockable = findBlockable(indicators, fullEvent)
  const registrar = findRegistrar(fullEvent, blockable)
  const { hosts, skippedCount } = findHosts(fullEvent, indicators, blockable)
  const letters = [...(registrar ? [registrar] : []), ...hosts].map((addressee): KitFile => {
    const system = addressee.system ? `-AS${addressee.system}` : ''
    return {
      name: `letter-${addressee.role}${system}.txt`,
      body: Buffer.from(writeLetter(addressee, { id, environment, event: redactedEvent, screenshot })),
      description: `Letter to the ${addressee.role}`,
      time: formatTime(redactedEvent.date),
    }
  })
  const missing = [
    !registrar && {
      what: 'letter to the registrar',
      why:
        indicators.subject?.kind === 'domain'
          ? 'No letter to the registrar, because the domain may also host pages of other people.'
          : 'No letter to a registrar, because the event names no domain.',
    },
    hosts.length === 0 && {
      what: 'letter to the host',
      why: 'No letter to a host, because the event names no page or address that can be blocked.',
    },
    skippedCount > 0 && {
      what: 'letters to hosts',
      why: `No letter to ${pluralize(skippedCount, 'more host')}, because a kit has at most ${hosts.length} of these letters.`,
    },
  ]
  return { letters, missing: missing.filter((entry) => entry !== false) }
}
