import { editDistance } from './edit-distance.ts'
import { foldName } from './typed-text/fold-name.ts'

/** How many checks are suggested as buttons. */
export const MAX_SUGGESTED = 5

/** The fields by which people identify a health check. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** The host or address in a target, without port and path. */
const targetHost = (target = ''): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** Whether a check's target has exactly this host. */
export const isAtHost = ({ target }: NamedCheck, typed: string): boolean =>
  targetHost(typed) !== '' && targetHost(target) === targetHost(typed)

/**
 * Finds at most five checks to suggest if no check has the typed name: checks whose target is at the typed host or below it or, if
 * there are none, the checks with the most similar names.
 */
export function findSimilarChecks<Check extends NamedCheck>(
  checks: readonly Check[],
  typed: string,
): Check[] {
  const host = targetHost(typed)
  // Shortest host first: the typed host itself comes before its subdomains.
  const atHost = checks
    .filter(({ target }) => host.includes('.') && `.${targetHost(target)}`.endsWith(`.${host}`))
    .toSorted((left, right) => targetHost(left.target).length - targetHost(right.target).length)
  return atHost.length > 0
    ? atHost.slice(0, MAX_SUGGESTED)
    : findSimilarlyNamed(typed, checks, ({ name }) => name, MAX_SUGGESTED)
}

/** `https://` and a final slash say nothing about which target it is. */
export const withoutScheme = (target: string): string =>
  foldName(target)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')

/**
 * Whether a check may be the one that was typed: all of the text is in its name or its target, or its name differs by a typo. Another
 * number, host, or path is another check.
 */
export function mayBeMeant({ name, target = '' }: NamedCheck, typed: string): boolean {
  const text = withoutScheme(typed)
  const isPart = foldName(name).includes(text) || withoutScheme(target).includes(text)
  const isSameNumber = getDigits(name) === getDigits(typed) && !/[./:]/.test(text)
  return isPart || (isSameNumber && countTypos(normalize(typed), normalize(name), MAX_TYPOS) <= MAX_TYPOS)
}

/** More letters are another word: `Shop API old`. */
const MAX_TYPOS = 2

const getDigits = (text: string): string => text.replaceAll(/\D+/g, ' ').trim()

/** How many characters of a name are compared. */
const MAX_COMPARED = 60
const LETTERS_PER_TYPO = 4
/** Ranks names that contain the text after an exact match, but before any typo. */
const SUBSTRING_DISTANCE = 0.5

const ASCII = /^[\x20-\x7e]*$/

/** Most names have no accents, and removing them takes longer than the rest. */
const withoutAccents = (name: string): string =>
  ASCII.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '')

const normalize = (name: string): string =>
  withoutAccents(name)
    .toLowerCase()
    .replace(/[\s_.-]+/g, ' ')
    .trim()
    .slice(0, MAX_COMPARED)

/**
 * Finds the items whose name is similar to a mistyped one, most similar first: with a few letters wrong, missing, or swapped, or
 * with the text inside the name. Ignores case, accents, and whether spaces or dashes separate words.
 */
export function findSimilarlyNamed<T>(
  typed: string,
  items: Iterable<T>,
  getName: (item: T) => string,
  maxItems: number,
): T[] {
  const normalizedTyped = normalize(typed.replaceAll('*', ' '))
  if (normalizedTyped === '') return []
  const maxTypos = Math.max(1, Math.floor(normalizedTyped.length / LETTERS_PER_TYPO))
  const ranked: { item: T; distance: number }[] = []
  for (const item of items) {
    const name = normalize(getName(item))
    const isPart = normalizedTyped.length >= 3 && name.includes(normalizedTyped)
    const distance = isPart ? SUBSTRING_DISTANCE : countTypos(normalizedTyped, name, maxTypos)
    if (distance <= maxTypos) ranked.push({ item, distance })
  }
  ranked.sort((left, right) => left.distance - right.distance)
  return ranked.slice(0, maxItems).map(({ item }) => item)
}

/** In characters. A shorter word is near many. */
const MIN_WORD = 6

/** How many letters a text and a name differ by or, for one word, the text and a word in the name. `max` is where counting stops. */
function countTypos(typed: string, name: string, max: number): number {
  const isWord = typed.length >= MIN_WORD && !typed.includes(' ')
  const parts = isWord ? [name, ...name.split(' ')] : [name]
  return Math.min(...parts.map((part) => editDistance(typed, part, max)))
}

/** Finds the name of the only check that has a text in it, from the beginning of a word; the text, if several have it. */
export function createFindPart(checks: readonly NamedCheck[]): (text: string) => string | undefined {
  const names = checks.map(({ name }) => ` ${normalize(name)}`)
  return (text) => {
    const typed = ` ${normalize(text)}`
    const found = typed.length > 3 ? [...names.keys()].filter((at) => names[at]?.includes(typed)) : []
    return found.length > 1 ? text : checks[found[0] ?? -1]?.name
  }
}
