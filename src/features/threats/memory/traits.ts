import type { ThreatEvent } from '../../../api/threat-event.ts'
import { oneLine } from '../../../blocks/text.ts'
import { hostOf, ipOf, systemOf } from '../indicators/values.ts'
import { KEPT_BACK } from '../privacy/redact-event.ts'
import { addressIn, lettersIn, namesOver, registeredOf } from './forms.ts'

/**
 * Something that events may have in common, or are found by, in the one form that is compared: `under` is each name that the
 * domain lies under, `called` the letters and digits of a name or a title, `word` one word of the brand.
 */
export interface Trait {
  kind: 'domain' | 'registered' | 'under' | 'ip' | 'as' | 'registrar' | 'title' | 'brand' | 'called' | 'word'
  value: string
}

/** So many of a kind are remembered of one event. */
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

export const folded = (text: string | undefined): string | undefined => {
  const plain = oneLine((text ?? '').slice(0, LONGEST))
    .normalize('NFKC')
    .toLowerCase()
  return plain === '' || plain.includes(KEPT_BACK.toLowerCase()) ? undefined : plain
}

/** Of a name that is not the owner's. */
const lettersOf = (text: string | undefined): string | undefined => {
  const plain = folded(text)
  return plain && lettersIn(plain)
}

const wordsOf = (text: string | undefined): string[] =>
  (folded(text) ?? '').split(' ').flatMap((word) => lettersIn(word) ?? [])

const of =
  (kind: Trait['kind']) =>
  (value: string | undefined): [Trait['kind'], string | undefined] => [kind, value]

/** What an event may have in common with others, the most telling first; nothing that names the domain's owner. */
export function traitsOf({ domain, brand, observedData }: ThreatEvent): Trait[] {
  const { dnsRecords = [], whois, website } = observedData ?? {}
  const host = hostOf(domain)
  const found: [Trait['kind'], string | undefined][] = [
    ...dnsRecords.map(({ ip }) => ['ip', ipOf(ip) && addressIn(ip)] as [Trait['kind'], string | undefined]),
    ['title', folded(website?.pageTitle)],
    ['domain', host?.kind === 'domain' ? host.value : undefined],
    ['registered', host?.kind === 'domain' ? registeredOf(host.value) : undefined],
    ...dnsRecords.map(
      ({ autonomousSystem }) =>
        ['as', systemOf(autonomousSystem?.number)?.value] as [Trait['kind'], string | undefined],
    ),
    ['registrar', folded(whois?.registrarName)],
    ['brand', folded(brand?.name)],
    ...(host?.kind === 'domain' ? namesOver(host.value) : []).map(of('under')),
    ...[brand?.name, whois?.registrarName, website?.pageTitle].map(lettersOf).map(of('called')),
    ...wordsOf(brand?.name).map(of('word')),
  ]
  const traits: Trait[] = []
  for (const [kind, value] of found) {
    const isKnown = traits.some((trait) => trait.kind === kind && trait.value === value)
    const isEnough = traits.filter((trait) => trait.kind === kind).length >= MOST[kind]
    if (value !== undefined && !isKnown && !isEnough) traits.push({ kind, value })
  }
  return traits
}

export type Told = Exclude<Trait['kind'], 'under' | 'called' | 'word'>
