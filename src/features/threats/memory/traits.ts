import { oneLine } from '@signalman/slack'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { hostOf, ipOf, systemOf } from '../indicators/values.ts'
import { KEPT_BACK } from '../privacy/redact-event.ts'
import { addressIn, lettersIn, namesOver, registeredOf } from './forms.ts'

/**
 * What two events may share, and what people find them by. The value is normalized, so that equal things compare equal.
 * `under`: each parent of the domain; `called`: the letters and digits of a name or a title; `word`: one word of the brand.
 */
export interface Trait {
  kind: 'domain' | 'registered' | 'under' | 'ip' | 'as' | 'registrar' | 'title' | 'brand' | 'called' | 'word'
  value: string
}

/** How many of a kind are remembered of one event. */
const MOST: Readonly<Record<Trait['kind'], number>> = {
  domain: 1,
  registered: 1,
  under: 10,
  ip: 20,
  as: 10,
  registrar: 1,
  title: 1,
  brand: 1,
  called: 3,
  word: 8,
}

const LONGEST = 300

export const traitText = ({ kind, value }: Trait): string => `${kind} ${value}`

/** One line in lower case, at most 300 characters; undefined where it is empty or has the owner's name cut out. */
export const normalizedText = (text: string | undefined): string | undefined => {
  const plain = oneLine((text ?? '').slice(0, LONGEST))
    .normalize('NFKC')
    .toLowerCase()
  return plain === '' || plain.includes(KEPT_BACK.toLowerCase()) ? undefined : plain
}

const lettersOf = (text: string | undefined): string | undefined => {
  const plain = normalizedText(text)
  return plain && lettersIn(plain)
}

const wordsOf = (text: string | undefined): string[] =>
  (normalizedText(text) ?? '').split(' ').flatMap((word) => lettersIn(word) ?? [])

type MaybeTrait = [kind: Trait['kind'], value: string | undefined]

const asTrait =
  (kind: Trait['kind']) =>
  (value: string | undefined): MaybeTrait => [kind, value]

/** The traits of an event, the most telling first; none of them names the domain's owner. */
export function traitsOf({ domain, brand, observedData }: ThreatEvent): Trait[] {
  const { dnsRecords = [], whois, website } = observedData ?? {}
  const host = hostOf(domain)
  const found: MaybeTrait[] = [
    ...dnsRecords.map(({ ip }) => ipOf(ip) && addressIn(ip)).map(asTrait('ip')),
    ['title', normalizedText(website?.pageTitle)],
    ['domain', host?.kind === 'domain' ? host.value : undefined],
    ['registered', host?.kind === 'domain' ? registeredOf(host.value) : undefined],
    ...dnsRecords.map(({ autonomousSystem }) => systemOf(autonomousSystem?.number)?.value).map(asTrait('as')),
    ['registrar', normalizedText(whois?.registrarName)],
    ['brand', normalizedText(brand?.name)],
    ...(host?.kind === 'domain' ? namesOver(host.value) : []).map(asTrait('under')),
    ...[brand?.name, whois?.registrarName, website?.pageTitle].map(lettersOf).map(asTrait('called')),
    ...wordsOf(brand?.name).map(asTrait('word')),
  ]
  const traits: Trait[] = []
  for (const [kind, value] of found) {
    const isKnown = traits.some((trait) => trait.kind === kind && trait.value === value)
    const isEnough = traits.filter((trait) => trait.kind === kind).length >= MOST[kind]
    if (value !== undefined && !isKnown && !isEnough) traits.push({ kind, value })
  }
  return traits
}

/** A kind that a card can show; the others are only searched. */
export type ShownTraitKind = Exclude<Trait['kind'], 'under' | 'called' | 'word'>
