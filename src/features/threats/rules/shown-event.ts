import { mapInSlices, yieldWhenDue } from '@signalman/runtime'
import { findSentValue, type ThreatEvent, type Whois } from '../../../service/threat-event.ts'
import { HIDDEN, redactText, redactUrl } from './redact-url.ts'
import { findSignals, type Signal } from './signals.ts'

/** An event, reduced to what an audience may see. */
export interface ShownEvent {
  readonly event: ThreatEvent
  /** Computed from the full event, for everyone. */
  readonly signals: readonly Signal[]
  /** Which of the owner's data is hidden, such as `name and email address`. Undefined if nothing is hidden. */
  readonly hiddenOwnerData: string | undefined
  /** Whether the page's texts and screenshots are left out too. */
  readonly isFactsOnly: boolean
}

/** Longer texts are cut before they're searched. */
const MAX_TEXT_LENGTH = 6000

/** Digits and the separators in a phone number. */
const PHONE_CANDIDATE = /(?<![\p{L}\p{N}])[+(]{0,2}\p{Nd}[\p{Nd} \u00a0()./-]{5,28}\p{Nd}(?![\p{L}\p{N}])/gu
const AMERICAN_NUMBER = /^(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}$/
const DATE = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?!\d)/

/** Fields that are one URL. */
const URL_FIELDS = new Set(['originUrl', 'finalUrl'])
/** Free-text fields, which may name a person. */
const FREE_TEXT = new Set(['pageTitle', 'pageDescription', 'content', 'ownerOrganisation', 'text'])
/** Fields that are never changed, because they can't contain an email address, or because their exact value is needed later. */
const UNCHANGED_FIELDS = new Set([
  'id',
  'domain',
  'ip',
  'path',
  'unreadable',
  'brand',
  'screenshotResourceUrl',
  'sourceResourceUrl',
])

/** The paths of the WHOIS record and of the object that contains it. */
const WHOIS_PATHS = ['observed_data', 'observed_data.whois']
/** The dates in the record, which never name anyone. */
const WHOIS_DATES = /^observed_data\.whois\.(?:creation|updated|expiration)_date$/
const isOwnerPath = (path: string): boolean =>
  WHOIS_PATHS.includes(path) || (path.startsWith('observed_data.whois.') && !WHOIS_DATES.test(path))

/** Whether the WHOIS record has an unexpected format, so that the owner's data in it can't be found. */
export const hasUnexpectedWhois = (event: ThreatEvent): boolean =>
  WHOIS_PATHS.some((path) => findSentValue(event, path) !== undefined) ||
  (event.observedData?.whois?.others ?? []).length > 0

/**
 * Builds the event for members: without the WHOIS owner and email addresses, and in free text also without phone numbers and the
 * owner's exact name. Yields to other requests, because an event may have 100,000 texts.
 */
export async function eventForMembers(event: ThreatEvent): Promise<ShownEvent> {
  const whois = event.observedData?.whois
  const hiddenParts = [
    whois?.ownerName && !isRedacted(whois.ownerName) && 'name',
    whois?.ownerEmail && 'email address',
    hasUnexpectedWhois(event) && 'WHOIS record in an unexpected format',
  ].filter(Boolean)
  const withoutWhoisOwner: ThreatEvent = {
    ...event,
    observedData: event.observedData && { ...event.observedData, whois: whois && withoutOwner(whois) },
    unexpectedValues: event.unexpectedValues.map(({ path, text }) => ({
      path,
      text: isOwnerPath(path) ? HIDDEN : text,
    })),
  }
  // The cast is safe, because strings are only replaced with strings.
  const shown = (await hidePersonalData(
    withoutWhoisOwner,
    '',
    createNamePattern(whois?.ownerName),
  )) as ThreatEvent
  const isOwnerHidden = whois !== undefined && (!whois.ownerName || isRedacted(whois.ownerName))
  return {
    event: shown,
    signals: findSignals({ event, isOwnerHidden }),
    hiddenOwnerData: hiddenParts.length > 0 ? hiddenParts.join(' and ') : undefined,
    isFactsOnly: false,
  }
}

/** Removes the owner's data from the record. Keeps the name if the registrar has already redacted it. */
function withoutOwner({ ownerName, ownerEmail: _, others: __, ...rest }: Whois): Whois {
  return isRedacted(ownerName) ? { ...rest, ownerName } : rest
}

async function hidePersonalData(
  part: unknown,
  field: string,
  namePattern: RegExp | undefined,
): Promise<unknown> {
  if (UNCHANGED_FIELDS.has(field)) return part
  if (typeof part === 'string') return hideInText(part, field, namePattern)
  if (typeof part !== 'object' || part === null || part instanceof Date) return part
  if (Array.isArray(part)) return mapInSlices(part, (item) => hidePersonalData(item, field, namePattern))
  const result: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(part)) {
    await yieldWhenDue()
    result[key] = await hidePersonalData(inner, key, namePattern)
  }
  return result
}

function hideInText(text: string, field: string, namePattern: RegExp | undefined): string {
  if (URL_FIELDS.has(field)) return redactUrl(text, namePattern)
  const isFree = FREE_TEXT.has(field) || field === 'registrarName'
  return redactText(text.slice(0, MAX_TEXT_LENGTH), namePattern, (rest) =>
    isFree ? hidePhoneNumbers(namePattern ? rest.replace(namePattern, HIDDEN) : rest) : rest,
  )
}

const hidePhoneNumbers = (text: string): string =>
  text.replace(PHONE_CANDIDATE, (candidate) => (isPhoneNumber(candidate) ? HIDDEN : candidate))

/** Whether a text looks like a phone number: international, American, or national with a zero or bracket at the beginning. */
function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\P{Nd}/gu, '')
  if (digits.length < 7 || digits.length > 15 || DATE.test(text)) return false
  return /^(?:\+|\(|0)/.test(text.replace(/^\(\+/, '+')) || AMERICAN_NUMBER.test(text)
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Scripts that don't separate words, and in which most names have two or three characters. */
const IDEOGRAPHIC = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\s]{2,}$/u

/** Matches the owner's name, ignoring case; undefined if the record has no real name. */
export function createNamePattern(ownerName: string | undefined): RegExp | undefined {
  const name = (ownerName ?? '').slice(0, 300).trim()
  const words = name.split(/\s+/)
  const isIdeographic = IDEOGRAPHIC.test(name)
  if ((words.join('').length < 3 && !isIdeographic) || isRedacted(ownerName)) return undefined
  const forms = ['NFC', 'NFD'].map((form) =>
    words.map((word) => escapePattern(word.normalize(form))).join('\\s+'),
  )
  const pattern = `(?:${forms.join('|')})`
  return new RegExp(isIdeographic ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}\\p{M}])`, 'giu')
}

/** Words that registrars use instead of a name. A name with only these words can be shown. */
const REDACTION_WORDS = new Set(
  (
    'redacted for privacy private person registration registrant service services protect protected protection proxy ' +
    'domains domain by whois whoisguard guard withheld not disclosed undisclosed available data masked hidden statutory ' +
    'masking enabled gdpr owner contact inc llc ltd ehf limited customer id of the provided identity anonymous name na'
  ).split(' '),
)

function isRedacted(name: string | undefined): boolean {
  let hasWord = false
  for (const [word] of (name ?? '').toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!REDACTION_WORDS.has(word)) return false
    hasWord = true
  }
  return hasWord
}

/**
 * Builds the event for guests and for channels, which guests may join. It has only structured facts: no texts, screenshots,
 * unexpected fields, or URL paths.
 */
export function factsOnly({ event, ...shown }: ShownEvent): ShownEvent {
  const { dnsRecords, whois, website } = event.observedData ?? {}
  const {
    ownerName: _,
    ownerOrganisation: __,
    resourceUrl: ___,
    registrarName,
    statuses = [],
    ...dates
  } = whois ?? {}
  const facts: ThreatEvent = {
    ...event,
    type: keepIfPlain(event.type),
    domain: keepIfPlain(event.domain),
    brand: event.brand && {
      ...event.brand,
      name: keepIfPlain(event.brand.name),
      groupingKey: keepIfPlain(event.brand.groupingKey),
    },
    criticality: event.criticality && {
      level: keepIfPlain(event.criticality.level),
      name: keepIfPlain(event.criticality.name),
    },
    comments: undefined,
    unexpectedValues: [],
    unreadable: { count: 0, paths: [] },
    observedData: event.observedData && {
      dnsRecords: dnsRecords?.map(({ autonomousSystem, countryCode, ip, name, type }) => ({
        countryCode: keepIfPlain(countryCode),
        ip: keepIfPlain(ip),
        name: keepIfPlain(name),
        type: keepIfPlain(type),
        autonomousSystem: autonomousSystem && {
          number: keepIfPlain(autonomousSystem.number),
          organization: keepIfPlain(autonomousSystem.organization),
        },
      })),
      whois: whois && {
        ...dates,
        registrarName: keepIfPlain(registrarName),
        statuses: statuses.filter(isCode),
      },
      website: website && {
        originUrl: withoutPath(website.originUrl),
        finalUrl: withoutPath(website.finalUrl),
        redirectionTypes: website.redirectionTypes?.filter(isCode),
      },
    },
  }
  return { ...shown, event: facts, isFactsOnly: true }
}

/** Keeps a text if it has the form of an API value. Unexpected lists or objects may contain anything. */
const keepIfPlain = (text: string | undefined): string | undefined =>
  text === undefined || /^\s*[[{]/.test(text) ? undefined : text

/** `clientHold`, `HTTP_301` */
const isCode = (text: string): boolean => /^[A-Za-z0-9_]{1,60}$/.test(text)

/** `https://exa.mple/…`. Replaces the path, because it may contain personal data. */
function withoutPath(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '')
  if (!url?.host || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.protocol}//${url.host}/${url.pathname === '/' && !url.search && !url.hash ? '' : '…'}`
}
