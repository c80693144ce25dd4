import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { blurred, disguises, readsAs } from './look-alikes.ts'

/** One way in which a domain imitates a brand. */
interface Likeness {
  kind: 'homoglyph' | 'swap' | 'name' | 'subdomain'
  /** In a few words, for a card. */
  says: string
  /** The evidence, such as `1 for l`. */
  because: string
}

/** Words that lures put beside a brand's name, to make people log in or pay. */
const LURES = new Set(
  (
    'login signin log sign in secure security account accounts verify verification update support help service services ' +
    'online web pay payment payments billing invoice order orders delivery track tracking parcel id my app mail email ' +
    'bank banking card wallet client customer portal access auth sso home official store shop sale outlet deals offer ' +
    'promo bonus gift free win careers jobs job info live now go get new the de eu uk us com net org confirm unlock'
  ).split(' '),
)

const LONG_ENOUGH_ANYWHERE = 8
const LONG_ENOUGH_MIXED = 4

/** How the domain imitates the brand's name; undefined when nothing shows that. Compares names only. */
export function likenessOf(domain: string | undefined, brandName: string | undefined): Likeness | undefined {
  const brand = brandOf(brandName)
  if (!domain || domain.length > 253 || brand.key.length < 2) return undefined
  const {
    domainWithoutSuffix,
    subdomain,
    domain: registered,
    isIp,
  } = parse(domain, { allowPrivateDomains: true })
  if (isIp || !domainWithoutSuffix) return undefined
  const own = inLabel(unicodeOf(domainWithoutSuffix), brand)
  if (own) return own
  const front = unicodeOf(subdomain ?? '')
  const inFront =
    inLabel(front.replaceAll('.', '-'), brand) ??
    front
      .split('.')
      .map((label) => inLabel(label, brand))
      .find(Boolean)
  if (!inFront) return undefined
  return {
    kind: 'subdomain',
    says: 'brand’s name in front of another domain',
    because: `${quoted(brand.name)} stands in front of ${registered ?? domain}, which is the domain that counts.`,
  }
}

interface Brand {
  name: string
  /** All its letters and digits in a row. */
  key: string
  words: readonly string[]
}

function brandOf(name = ''): Brand {
  const words = readable(name.slice(0, 100))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  return { name: name.trim().slice(0, 60), key: words.join(''), words }
}

/** Lower case, no accents; digits of the brand's own stay what they are. */
const readable = (name: string): string => name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')

const unicodeOf = (name: string): string =>
  /(?:^|\.)xn--/i.test(name) ? domainToUnicode(name) || name : name.toLowerCase()

const quoted = (text: string): string => `“${text}”`

function inLabel(label: string, brand: Brand): Likeness | undefined {
  if (holds(readable(label), brand)) return byName(label, brand)
  const asRead = [readsAs(label), blurred(label)]
  const blurredBrand = { ...brand, key: blurred(brand.key), words: brand.words.map(blurred) }
  const readBrand = { ...brand, key: readsAs(brand.key), words: brand.words.map(readsAs) }
  if (
    brand.key.length >= LONG_ENOUGH_MIXED &&
    (holds(asRead[0] ?? '', readBrand) || holds(asRead[1] ?? '', blurredBrand))
  ) {
    const seen = disguises(label)
    return {
      kind: 'homoglyph',
      says: `reads like ${quoted(brand.name)}${seen.length > 0 ? ` (${seen.slice(0, 2).join(', ')})` : ''}`,
      because: `${quoted(label)} reads like ${quoted(brand.name)}${seen.length > 0 ? `: ${seen.slice(0, 5).join(', ')}` : ': letters that look alike'}.`,
    }
  }
  return byOneLetter(label, brand)
}

function byName(label: string, { name, key }: Brand): Likeness {
  const bare = readable(label).replaceAll('-', '')
  const isAlone = bare === key
  const isDisguised = readable(label) !== label.toLowerCase()
  return {
    kind: isDisguised ? 'homoglyph' : 'name',
    says: isAlone ? `is the name ${quoted(name)}` : `holds the name ${quoted(name)}`,
    because: isAlone
      ? `${quoted(label)} is the brand’s name itself, under this ending.`
      : `${quoted(label)} holds the brand’s name among other words.`,
  }
}

/** Whether a label contains the brand's name on purpose, and not by chance as `pineapple` contains `apple`. */
function holds(label: string, { key, words }: Brand): boolean {
  const parts = label.split('-').filter(Boolean)
  const joined = parts.join('')
  if (joined === key || parts.includes(key)) return true
  if (key.length >= LONG_ENOUGH_ANYWHERE && joined.includes(key)) return true
  if (words.length > 1 && words.every((word) => word.length > 2 && parts.includes(word))) return true
  if (words.length > 1 && isInOrder(parts, words)) return true
  return parts.some((part) => key.length > 3 && isLured(part, key))
}

/** The words in order, as in `my-example-shops-login`. */
const isInOrder = (parts: readonly string[], words: readonly string[]): boolean =>
  parts.some((_, at) => words.every((word, index) => parts[at + index] === word))

/** The name with only luring words or digits around it: `appleid`, `securepaypal`, `paypal24`. */
function isLured(part: string, key: string): boolean {
  const at = part.indexOf(key)
  if (at < 0) return false
  const around = [part.slice(0, at), part.slice(at + key.length)]
  return around.every((rest) => rest === '' || LURES.has(rest) || /^\d{1,4}$/.test(rest))
}

/** The name with one letter changed, which people mistype or overlook. */
function byOneLetter(label: string, brand: Brand): Likeness | undefined {
  const parts = readable(label).split('-').filter(Boolean)
  const candidates = [...new Set([parts.join(''), ...parts])]
  const targets = [
    brand.key,
    ...(brand.words.length === 1 ? [] : brand.words.filter((word) => word.length >= LONG_ENOUGH_CHANGED)),
  ]
  for (const target of targets) {
    for (const candidate of candidates) {
      const typo = typoOf(candidate, target)
      // One word of several is not the brand: the other words must be there too.
      if (
        !typo ||
        (target !== brand.key && !brand.words.every((word) => word === target || parts.includes(word)))
      )
        continue
      return {
        kind: 'swap',
        says: `one letter off ${quoted(brand.name)}`,
        because: `${quoted(label)} is ${quoted(brand.name)} with ${typo}.`,
      }
    }
  }
  return undefined
}

/** A shorter name is one letter away from many words. */
const LONG_ENOUGH_SWAPPED = 6
const LONG_ENOUGH_CHANGED = 7

/** The single typing mistake that turns one word into the other: `two letters swapped`; undefined when there is none. */
function typoOf(candidate: string, target: string): string | undefined {
  const size = candidate.length - target.length
  if (target.length < LONG_ENOUGH_SWAPPED || candidate === target || Math.abs(size) > 1) return undefined
  let at = 0
  while (at < target.length && candidate[at] === target[at]) at += 1
  // People hardly ever miss a first letter, and many words differ only at the end: `range`, `targets`.
  if (at === 0 || (size === 1 && at === target.length && /[es]$/.test(candidate))) return undefined
  const isSame = (ofCandidate: number, ofTarget: number): boolean =>
    candidate.slice(at + ofCandidate) === target.slice(at + ofTarget)
  if (size === 1) return isSame(1, 0) ? `a letter too many (${candidate[at]})` : undefined
  if (size === -1) return isSame(0, 1) ? `a letter left out (${target[at]})` : undefined
  return exchangeOf(candidate, target, at, isSame)
}

function exchangeOf(
  candidate: string,
  target: string,
  at: number,
  isSame: (ofCandidate: number, ofTarget: number) => boolean,
): string | undefined {
  const isSwapped = candidate[at] === target[at + 1] && candidate[at + 1] === target[at]
  if (isSwapped && isSame(2, 2)) return 'two letters swapped'
  return target.length >= LONG_ENOUGH_CHANGED && isSame(1, 1)
    ? `${candidate[at]} for ${target[at]}`
    : undefined
}
