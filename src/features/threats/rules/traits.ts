import { UserError } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import { getDomain } from 'tldts'
import { cmd } from '../../../domain/command-names.ts'
import { readTyped, type TypedAddress } from '../../../domain/typed-text/typed-address.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeLine } from './defang.ts'
import { HIDDEN } from './redact-url.ts'
import { parseAsNumber, parseHost, parseIp, parseUrlHost } from './values.ts'

/**
 * A normalized property of an event, for searching and for finding related events. `domain` is the event's host or one of its parent
 * domains, `letters` are the letters and digits of a name or title, and `brand-word` is one word of the brand.
 */
export interface Trait {
  kind:
    | 'registered-domain'
    | 'domain'
    | 'ip'
    | 'as'
    | 'registrar'
    | 'title'
    | 'brand'
    | 'letters'
    | 'brand-word'
  value: string
}

/** How many traits of a kind are stored per event. */
const MAX_PER_KIND: Readonly<Record<Trait['kind'], number>> = {
  'registered-domain': 1,
  domain: 10,
  ip: 20,
  as: 10,
  registrar: 1,
  title: 1,
  brand: 1,
  letters: 3,
  'brand-word': 8,
}

const MAX_TEXT_LENGTH = 300

export const serializeTrait = ({ kind, value }: Trait): string => `${kind} ${value}`

/** One lowercase line of at most 300 characters; undefined if it is empty, or if the owner's name was removed from it. */
const normalizeText = (text: string | undefined): string | undefined => {
  const plain = oneLine((text ?? '').slice(0, MAX_TEXT_LENGTH))
    .normalize('NFKC')
    .toLowerCase()
  return plain === '' || plain.includes(HIDDEN.toLowerCase()) ? undefined : plain
}

const normalizeToLetters = (text: string | undefined): string | undefined => {
  const plain = normalizeText(text)
  return plain && keepLettersAndDigits(plain)
}

const splitWords = (text: string | undefined): string[] =>
  (normalizeText(text) ?? '').split(' ').flatMap((word) => keepLettersAndDigits(word) ?? [])

type TraitCandidate = [kind: Trait['kind'], value: string | undefined]

const toCandidate =
  (kind: Trait['kind']) =>
  (value: string | undefined): TraitCandidate => [kind, value]

/** The traits of an event, most significant first. */
export function findTraits({ domain, brand, observedData }: ThreatEvent): Trait[] {
  const { dnsRecords = [], whois, website } = observedData ?? {}
  const host = parseHost(domain)
  const candidates: TraitCandidate[] = [
    ...[domain, parseUrlHost(website?.originUrl)?.value, ...dnsRecords.map(({ ip }) => ip)]
      .map((address) => parseIp(address) && parseAnyAddress(address))
      .map(toCandidate('ip')),
    ['title', normalizeText(website?.pageTitle)],
    ['registered-domain', host?.kind === 'domain' ? findRegisteredDomain(host.value) : undefined],
    ...dnsRecords
      .map(({ autonomousSystem }) => parseAsNumber(autonomousSystem?.number)?.value)
      .map(toCandidate('as')),
    ['registrar', normalizeText(whois?.registrarName)],
    ['brand', normalizeText(brand?.name)],
    ...(host?.kind === 'domain' ? listParentDomains(host.value) : []).map(toCandidate('domain')),
    ...[brand?.name, whois?.registrarName, website?.pageTitle]
      .map(normalizeToLetters)
      .map(toCandidate('letters')),
    ...splitWords(brand?.name).map(toCandidate('brand-word')),
  ]
  const traits: Trait[] = []
  for (const [kind, value] of candidates) {
    const isDuplicate = traits.some((trait) => trait.kind === kind && trait.value === value)
    const isKindFull = traits.filter((trait) => trait.kind === kind).length >= MAX_PER_KIND[kind]
    if (value !== undefined && !isDuplicate && !isKindFull) traits.push({ kind, value })
  }
  return traits
}

/** The kinds of traits that a card can show. Other kinds are only used for searching. */
type ShownTraitKind = Exclude<Trait['kind'], 'domain' | 'letters' | 'brand-word'>

/** The registered domain of a host. */
const findRegisteredDomain = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

/** The host and each of its parents, up to the registered domain. */
function listParentDomains(host: string): string[] {
  const registered = findRegisteredDomain(host)
  const prefixLength = host.length - registered.length
  const dots = host.slice(0, Math.max(0, prefixLength)).matchAll(/\./g)
  return [host, ...[...dots].map(({ index }) => host.slice(index + 1))]
}

const IPV4_MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * Parses an IP address in any notation that browsers accept: `0xC0.0.2.1`, `3221225985`, with a port, in brackets, or IPv4 in
 * IPv6.
 */
function parseAnyAddress(text: string | undefined): string | undefined {
  const plain = text?.trim() ?? ''
  const ip = parseIp(plain) ?? (/[\s/@?#]/.test(plain) ? undefined : parseIp(parseHostname(plain)))
  const [, high, low] = IPV4_MAPPED.exec(ip?.value ?? '') ?? []
  if (!high || !low) return ip?.value
  const bits = Number.parseInt(high, 16) * 0x1_00_00 + Number.parseInt(low, 16)
  return parseHostname(String(bits))
}

const parseHostname = (text: string): string | undefined =>
  URL.parse(`http://${text}/`)?.hostname.replace(/^\[|\]$/g, '')

/** The letters and digits of a text, without accents; undefined if it has none. */
function keepLettersAndDigits(text: string): string | undefined {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return letters === '' ? undefined : letters
}

const SHARED_TEXTS: Readonly<Record<ShownTraitKind, (value: string) => string>> = {
  ip: (value) => `on ${safeLine(value, 45)}`,
  as: (value) => `in AS${value}`,
  registrar: () => 'at this registrar',
  title: () => 'with this page title',
  brand: () => 'for this brand',
  'registered-domain': () => 'under this domain',
}

/** The kinds of traits that a card shows, in this order. */
const SHOWN_KINDS: readonly ShownTraitKind[] = [
  'registered-domain',
  'ip',
  'title',
  'as',
  'registrar',
  'brand',
]

const MAX_SHOWN = 4

/** `countEventsByTrait` counts up to this number. */
const MAX_COUNTED = 100

export const isShownOnCard = ({ kind }: Trait): boolean => SHOWN_KINDS.some((shown) => shown === kind)

/** Describes how many events share these traits: `3 on 192[.]0[.]2[.]1, 12 with this page title`; undefined if none do. */
export function describeSharedTraits(
  traits: readonly Trait[],
  counts: ReadonlyMap<string, number>,
): string | undefined {
  const shown = SHOWN_KINDS.flatMap((kind) => {
    const best = traits
      .filter((trait) => trait.kind === kind)
      .map((trait) => ({ trait, count: counts.get(serializeTrait(trait)) ?? 0 }))
      .toSorted((left, right) => right.count - left.count)[0]
    if (!best || best.count === 0) return []
    const count = best.count >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(best.count)
    return [`${count} ${SHARED_TEXTS[kind](best.trait.value)}`]
  })
  return shown.length === 0 ? undefined : shown.slice(0, MAX_SHOWN).join(', ')
}

/**
 * The traits that typed words may mean: a domain with its subdomains, an IP address, an autonomous system, a brand or one of its
 * words, a registrar, or a page title. Throws UserError for a range of addresses.
 */
export function traitsForWords(words: string): Trait[] {
  if (/^[\d.:a-f]+\/\d{1,3}$/i.test(words.trim()))
    throw new UserError(`${cmd('/threat find')} looks for one address at a time, not for a range.`)
  const typed = readTyped(words)
  if (typed.kind === 'text' && LOOKS_LIKE_ADDRESS.test(typed.value))
    throw new UserError(
      'This looks like an address, but Signalman couldn’t read it, so nothing was searched. Type it as `example.com`, `192.0.2.1`, or a URL.',
    )
  const domain = parseTypedDomain(typed)
  const address = parseAnyAddress(typed.kind === 'text' ? typed.value : typed.host)
  const system = /^\s*(?:ASN?\s?)?\d+\s*$/i.test(words) ? parseAsNumber(words)?.value : undefined
  const name = normalizeText(typed.value)
  const letters = keepLettersAndDigits(typed.value)
  const candidates: TraitCandidate[] = [
    ['ip', address],
    ['domain', domain],
    // Also searched, because only ten `domain` traits are stored per event.
    ['registered-domain', domain],
    ['as', system],
    ['brand', name],
    ['registrar', name],
    ['title', name],
    ['letters', letters],
    ['brand-word', letters],
  ]
  return candidates.flatMap(([kind, value]) => (value === undefined ? [] : { kind, value }))
}

/** For a typed subdomain: its registered domain and the traits to search for if the subdomain has no results. */
export function traitsForWiderDomain(words: string): { registered: string; traits: Trait[] } | undefined {
  const domain = parseTypedDomain(readTyped(words))
  const registered = domain && findRegisteredDomain(domain)
  if (!registered || registered === domain) return undefined
  return {
    registered,
    traits: [
      { kind: 'domain', value: registered },
      { kind: 'registered-domain', value: registered },
    ],
  }
}

function parseTypedDomain(typed: TypedAddress): string | undefined {
  // `*.example.com`, and one word such as a host of an internal network.
  const text = typed.kind === 'text' ? typed.value.replace(/^\*\./, '') : typed.host
  const host = parseHost(text)
  return host?.kind === 'domain' ? host.value : undefined
}

/** One word with a scheme, a bracketed dot, an @, or several dots. `Acme Inc.` and `AS64500` have none of these. */
const LOOKS_LIKE_ADDRESS = /^(?!\*\.)\S*(?:\/\/|[[({<]\s?\.|\.\s?[\])}>]|@|\.\S*\.)\S*$/
