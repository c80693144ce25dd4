import { eachInTurns, yieldWhenDue } from '@signalman/runtime'
import { cameAs, type ThreatEvent, type Whois } from '../../../service/threat-event.ts'
import { findSignals, type Signal } from './signals.ts'

/** Takes the place of personal data. */
export const HIDDEN = '(personal data hidden)'

/** An event as some people may see it. */
export interface ShownEvent {
  readonly event: ThreatEvent
  /** Found in the whole event, whoever sees them. */
  readonly signals: readonly Signal[]
  /** What the WHOIS record says of the owner and this doesn't show: `name and email address`. Undefined when it says nothing personal. */
  readonly hiddenOwner: string | undefined
  /** Whether texts and pictures of the page are left out as well. */
  readonly isFactsOnly: boolean
}

/** Nothing shows more of one text. The rest of a longer one is neither searched nor kept. */
const LONGEST = 6000

/** Starts at the beginning of a word only: started at each character, it would take quadratic time. */
const ADDRESS =
  /(?<![^\s<>()[\]"',;:/?&=])[^\s<>()[\]"',;:/?&=]+(?:[@\uff20\ufe6b]|%40)[^\s<>()[\]"',;:/?&=]+/gi
const SPELT_AT = /[[({<]\s?at\s?[\])}>]/i
const SPELT_ADDRESS =
  /[\w.+-]{1,64}\s?[[({<]\s?at\s?[\])}>]\s?[\w-]+(?:(?:\.|\s?[[({<]\s?dot\s?[\])}>]\s?)[\w-]+)+/gi
/** Digits and what stands between those of a phone number. */
const DIGITS = /(?<![\p{L}\p{N}])[+(]{0,2}\p{Nd}[\p{Nd} \u00a0()./-]{5,28}\p{Nd}(?![\p{L}\p{N}])/gu
const NATIONAL = /^(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}$/
const DAY = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?!\d)/

/** Texts that anybody may have written, in which a person may be named. */
const FREE_TEXT = new Set(['pageTitle', 'pageDescription', 'content', 'ownerOrganisation', 'text'])
/** What holds no email address, or is looked up by what it says. */
const AS_IT_IS = new Set([
  'id',
  'domain',
  'ip',
  'path',
  'unreadable',
  'brand',
  'screenshotResourceUrl',
  'sourceResourceUrl',
])

/** The path of the WHOIS record, and of what it is part of. */
const RECORDS = ['observed_data', 'observed_data.whois']
/** Parts of the record in which nobody is named. */
const DATES = /^observed_data\.whois\.(?:creation|updated|expiration)_date$/
const isOwners = (path: string): boolean =>
  RECORDS.includes(path) || (path.startsWith('observed_data.whois.') && !DATES.test(path))

/** Whether the WHOIS record, or a part of it, has a form in which nobody can tell where its owner is named. */
export const hasOddRecord = (event: ThreatEvent): boolean =>
  RECORDS.some((path) => cameAs(event, path) !== undefined) ||
  (event.observedData?.whois?.others ?? []).length > 0

/**
 * The event for members: without what the WHOIS record says of the owner, with email addresses hidden, and in free text phone numbers
 * and the owner's exact name. Nothing else is looked for. Lets other work run in between: an event may have 100,000 texts.
 */
export async function eventForMembers(event: ThreatEvent): Promise<ShownEvent> {
  const whois = event.observedData?.whois
  const named = [
    whois?.ownerName && !isStandIn(whois.ownerName) && 'name',
    whois?.ownerEmail && 'email address',
    hasOddRecord(event) && 'WHOIS record in an unexpected format',
  ].filter(Boolean)
  const rest: ThreatEvent = {
    ...event,
    observedData: event.observedData && { ...event.observedData, whois: whois && withoutOwner(whois) },
    asItCame: event.asItCame.map(({ path, text }) => ({
      path,
      text: isOwners(path) ? HIDDEN : text,
    })),
  }
  // A text is replaced by a text, so the shape stays.
  const shown = (await hideIn(rest, '', nameFinder(whois?.ownerName))) as ThreatEvent
  const isOwnerHidden = whois !== undefined && (!whois.ownerName || isStandIn(whois.ownerName))
  return {
    event: shown,
    signals: findSignals({ event: shown, isOwnerHidden }),
    hiddenOwner: named.length > 0 ? named.join(' and ') : undefined,
    isFactsOnly: false,
  }
}

/** The record without its owner, unless a registrar's words stand in their place. */
function withoutOwner({ ownerName, ownerEmail: _, others: __, ...rest }: Whois): Whois {
  return isStandIn(ownerName) ? { ...rest, ownerName } : rest
}

async function hideIn(part: unknown, name: string, ownerName: RegExp | undefined): Promise<unknown> {
  if (AS_IT_IS.has(name)) return part
  if (typeof part === 'string') return hidden(part, name, ownerName)
  if (typeof part !== 'object' || part === null || part instanceof Date) return part
  if (Array.isArray(part)) return eachInTurns(part, (item) => hideIn(item, name, ownerName))
  const whole: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(part)) {
    await yieldWhenDue()
    whole[key] = await hideIn(inner, key, ownerName)
  }
  return whole
}

function hidden(text: string, name: string, ownerName: RegExp | undefined): string {
  const plain = text.slice(0, LONGEST).replace(ADDRESS, HIDDEN)
  const mailless = SPELT_AT.test(plain) ? plain.replace(SPELT_ADDRESS, HIDDEN) : plain
  if (!FREE_TEXT.has(name) && name !== 'registrarName') return mailless
  const nameless = ownerName ? mailless.replace(ownerName, HIDDEN) : mailless
  return nameless.replace(DIGITS, (found) => (isPhoneNumber(found) ? HIDDEN : found))
}

/** An international number, or a national one that begins with a zero or a bracket, or has the American form. */
function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\P{Nd}/gu, '')
  if (digits.length < 7 || digits.length > 15 || DAY.test(text)) return false
  return /^(?:\+|\(|0)/.test(text.replace(/^\(\+/, '+')) || NATIONAL.test(text)
}

/** Finds the name as the record has it, in either case; undefined where that is no name. */
function nameFinder(ownerName: string | undefined): RegExp | undefined {
  const words = (ownerName ?? '').slice(0, 300).trim().split(/\s+/)
  if (words.join('').length < 3 || isStandIn(ownerName)) return undefined
  const forms = ['NFC', 'NFD'].map((form) =>
    words.map((word) => word.normalize(form).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'),
  )
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join('|')})(?![\\p{L}\\p{N}\\p{M}])`, 'giu')
}

/** Words that registrars write instead of a person. A name made only of these names nobody, and may be shown. */
const STAND_IN = new Set(
  (
    'redacted for privacy private person registration registrant service services protect protected protection proxy ' +
    'domains domain by whois whoisguard guard withheld not disclosed undisclosed available data masked hidden statutory ' +
    'masking enabled gdpr owner contact inc llc ltd ehf limited customer id of the provided identity anonymous name na'
  ).split(' '),
)

function isStandIn(name: string | undefined): boolean {
  let isWord = false
  for (const [word] of (name ?? '').toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!STAND_IN.has(word)) return false
    isWord = true
  }
  return isWord
}

/**
 * The event for guests, and for channels, to which anybody may be invited: structured facts alone. Texts, pictures, odd parts and the
 * paths of addresses are left out.
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
    type: word(event.type),
    domain: word(event.domain),
    brand: event.brand && {
      ...event.brand,
      name: word(event.brand.name),
      groupingKey: word(event.brand.groupingKey),
    },
    criticality: event.criticality && {
      level: word(event.criticality.level),
      name: word(event.criticality.name),
    },
    comments: undefined,
    asItCame: [],
    unreadable: { count: 0, paths: [] },
    observedData: event.observedData && {
      dnsRecords: dnsRecords?.map(({ autonomousSystem, countryCode, ip, name, type }) => ({
        countryCode: word(countryCode),
        ip: word(ip),
        name: word(name),
        type: word(type),
        autonomousSystem: autonomousSystem && {
          number: word(autonomousSystem.number),
          organization: word(autonomousSystem.organization),
        },
      })),
      whois: whois && { ...dates, registrarName: word(registrarName), statuses: statuses.filter(isCode) },
      website: website && {
        originUrl: hostAlone(website.originUrl),
        finalUrl: hostAlone(website.finalUrl),
        redirectionTypes: website.redirectionTypes?.filter(isCode),
      },
    },
  }
  return { ...shown, event: facts, isFactsOnly: true }
}

/** A text of the interface's own kind. What came as a list or an object may hold anything. */
const word = (text: string | undefined): string | undefined =>
  text === undefined || /^\s*[[{]/.test(text) ? undefined : text

/** `clientHold`, `HTTP_301` */
const isCode = (text: string): boolean => /^[A-Za-z0-9_]{1,60}$/.test(text)

/** `https://exa.mple/…`: what stands behind the host may name anybody. */
function hostAlone(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '')
  if (!url?.host || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.protocol}//${url.host}/${url.pathname === '/' && !url.search && !url.hash ? '' : '…'}`
}
