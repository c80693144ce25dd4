import { hash } from 'node:crypto'
import { type Owner, STAND_IN } from './owner-names.ts'
import { PARTICLES, scatteredName, wordsOf } from './scattered-names.ts'
import { isEncoded, lettersOf, type Unfolded, unfold } from './unfold.ts'

/** Finds the places of a text that name the owner of a domain, in any form. */
export type FindOwner = (text: string) => Place[]

interface Place {
  start: number
  end: number
}

/** The letters of a name or an address in one form; a short one counts only as a word of its own. */
interface Form {
  letters: string
  isShort: boolean
  /** Where an initial meets the last name, and which end of the letters it is. */
  initial?: { seam: number; outer: number }
}

const SHORT = 6
/** Scripts in which two characters are a full name. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const AT = '(?:at|arroba|klammeraffe|\u00e4t)?'
/** What a box calls its parts; it begins a word of its own. */
const TAG = '(?<tag>[a-z0-9]{1,40}?)?'
const DOT = '(?:dot|punkt|point|punto)?'
const UMLAUTS: readonly (readonly [RegExp, string])[] = [
  [/ä/gi, 'ae'],
  [/ö/gi, 'oe'],
  [/ü/gi, 'ue'],
  [/ß/gi, 'ss'],
  [/å/gi, 'aa'],
  [/ø/gi, 'oe'],
  [/æ/gi, 'ae'],
]

/** Finds the owner's name and e-mail address: as written, reversed, shortened, respelt, encoded, spelt out, or hashed. */
export function ownerFinder(owner: Owner): FindOwner {
  const names = owner.names.flatMap((name) => spellings(name.slice(0, 300)))
  const addresses = owner.addresses.flatMap((address) => spellings(address.slice(0, 320)))
  const people = names.map(tokensOf)
  const forms = people.flatMap(nameForms)
  const scattered = people.flatMap((tokens) => scatteredName(tokens) ?? [])
  const patterns = addresses.flatMap(addressPatterns)
  const codedPlaces = codedFinder([...names, ...addresses])
  if (forms.length + patterns.length === 0) return () => []
  const last = people.flatMap((tokens) => tokens.filter((token) => token.length > 2))
  const quick = new RegExp([...forms.map(({ letters }) => letters), ...last, ...patterns].join('|'))
  const addressed = patterns.map((pattern) => new RegExp(pattern, 'dg'))
  return (text) => {
    const found = codedPlaces(text)
    if (!isEncoded(text) && !quick.test(lettersOf(text))) return found
    const unfolded = unfold(text)
    for (const form of forms) found.push(...placesOf(unfolded, form))
    const words = scattered.length > 0 ? wordsOf(unfolded) : []
    for (const placesIn of scattered) found.push(...placesIn(text, unfolded, words))
    for (const pattern of addressed) found.push(...patternPlaces(unfolded, pattern))
    return found
  }
}

/** As written, and with umlauts spelt out. */
function spellings(text: string): string[] {
  const plain = text.normalize('NFC').trim()
  const respelt = UMLAUTS.reduce((so, [letter, pair]) => so.replace(letter, pair), plain)
  return [...new Set([plain, respelt])].filter(Boolean)
}

/** The words of a name; `Jane Roe (private person)` has two. */
const tokensOf = (name: string): string[] =>
  name
    .split(/[^\p{L}\p{N}\p{M}'’]+/u)
    .map(lettersOf)
    .filter((word) => word !== '' && !STAND_IN.has(word))

/** `Jane Q. Roe`, `Roe, Jane Q.`, `Jane Roe`, `Roe, Jane`, `J. Roe`, and the first with each of the others: `jose.garcia`. */
function nameForms(tokens: readonly string[]): Form[] {
  const [first = '', ...rest] = tokens
  const last = rest.at(-1) ?? ''
  const orders = [tokens.join('')]
  if (last) orders.push(last + tokens.slice(0, -1).join(''), first + last, last + first)
  for (const other of rest)
    if (other.length > 2 && !PARTICLES.has(other)) orders.push(first + other, other + first)
  const [{ length: one } = ''] = first
  const letter = first.slice(0, one)
  const short =
    last.length > 2
      ? [
          { letters: letter + last, initial: { seam: one, outer: 0 } },
          { letters: last + letter, initial: { seam: last.length, outer: last.length + one } },
        ]
      : []
  const isEnough = ({ letters }: { letters: string }) =>
    letters.length > 2 || (letters.length > 1 && DENSE.test(letters))
  return [...[...new Set(orders)].map((letters) => ({ letters })), ...short]
    .filter(isEnough)
    .map((form) => ({ ...form, isShort: form.letters.length < SHORT && !DENSE.test(form.letters) }))
}

/** The letters of an address, with `at` and `dot` for its signs. */
function addressPatterns(address: string): string[] {
  const at = address.lastIndexOf('@')
  if (at < 1 || at === address.length - 1) return []
  const parts = (text: string): string[] => {
    const { letters, begins } = unfold(text)
    const cuts = begins.flatMap((isFirst, index) => (isFirst ? [index] : []))
    return cuts.map((cut, index) => letters.slice(cut, cuts[index + 1]))
  }
  // `jane+domains@mail.test` and `jane@mail.test` are one box.
  const local = parts(address.slice(0, at).replace(/(?<=.)\+.*$/, ''))
  const domain = parts(address.slice(at + 1))
  return local.length === 0 || domain.length === 0 ? [] : [`${local.join(DOT)}${TAG}${AT}${domain.join(DOT)}`]
}

/** Finds base64 at each of its three offsets, hex, and the hashes that trackers put into addresses. */
function codedFinder(texts: readonly string[]): FindOwner {
  const plain = new Set(texts.flatMap((text) => [text, text.toLowerCase()]))
  const coded = [...plain].filter((text) => Buffer.byteLength(text) >= SHORT)
  const base64 = coded.flatMap((text) => base64Of(Buffer.from(text)))
  const hex = coded.flatMap((text) => [
    Buffer.from(text).toString('hex'),
    ...['md5', 'sha1', 'sha256'].map((algorithm) => hash(algorithm, text, 'hex')),
  ])
  const anyBase64 = new RegExp(base64.join('|'))
  const inRuns = base64.map((one) => new RegExp(one, 'g'))
  const inHex = hex.map((one) => new RegExp(one, 'gi'))
  return (text) => [
    ...(anyBase64.test(text) ? inRuns.flatMap((pattern) => codedPlaces(text, pattern, true)) : []),
    ...(HEX.test(text) ? inHex.flatMap((pattern) => codedPlaces(text, pattern, false)) : []),
  ]
}

/** The first and last characters depend on the bytes around the text; the middle is always the same. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const end = (shift + bytes.length) % 3 === 0 ? whole.length : whole.length - 1
    const middle = whole.slice(shift === 0 ? 0 : shift + 1, end)
    return middle.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '[/_]'))
  })
}

const BASE64 = /[A-Za-z0-9+/_=-]/
/** As many digits as the shortest hex has. */
const HEX = new RegExp(`[0-9a-f]{${2 * SHORT}}`, 'i')

/** The base64 around a find belongs to the same text; a regular expression for the whole run would take quadratic time on a long one. */
function codedPlaces(text: string, pattern: RegExp, isInRun: boolean): Place[] {
  const found: Place[] = []
  for (const { index, 0: match } of text.matchAll(pattern)) {
    let [start, end] = [index, index + match.length]
    if (start < (found.at(-1)?.end ?? 0)) continue
    while (isInRun && start > 0 && BASE64.test(text.charAt(start - 1))) start -= 1
    while (isInRun && BASE64.test(text.charAt(end))) end += 1
    found.push({ start, end })
  }
  return found
}

function placesOf(unfolded: Unfolded, { letters, isShort, initial }: Form): Place[] {
  const found: Place[] = []
  const { letters: all } = unfolded
  for (let at = all.indexOf(letters); at !== -1; at = all.indexOf(letters, at + 1)) {
    // `Roe, J.` is the owner, `Roe judges` is not: the letter is a word of its own, or of one word with the name.
    const isCut = initial && unfolded.begins[at + initial.seam] && !isOpen(unfolded, at + initial.outer)
    const isInside = isShort && !(isOpen(unfolded, at) && isOpen(unfolded, at + letters.length))
    if (!isCut && !isInside) found.push(originalPlace(unfolded, at, letters.length))
  }
  return found
}

function patternPlaces(unfolded: Unfolded, pattern: RegExp): Place[] {
  return [...unfolded.letters.matchAll(pattern)].flatMap((found) => {
    const [tagAt] = found.indices?.groups?.tag ?? []
    const isTag = tagAt === undefined || unfolded.begins[tagAt] === true
    return isTag ? [originalPlace(unfolded, found.index, found[0].length)] : []
  })
}

const isDigit = (letter: string | undefined): boolean => letter !== undefined && /\d/.test(letter)

/** No letter of the same word is on both sides; digits after a name do not belong to it. */
const isOpen = ({ letters, begins }: Unfolded, at: number): boolean =>
  at === 0 ||
  at === letters.length ||
  begins[at] === true ||
  isDigit(letters[at]) !== isDigit(letters[at - 1])

const originalPlace = ({ starts, ends }: Unfolded, from: number, length: number): Place => ({
  start: starts[from] ?? 0,
  end: ends[from + length - 1] ?? 0,
})
