import { editDistance } from './edit-distance.ts'

/** How many checks are suggested as buttons. */
export const MAX_SUGGESTED = 5

/** The fields by which people identify a health check. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** How many checks are searched for a similar name. Comparing more would hold up other requests. */
export const MAX_SEARCHED = 5000

/** The host or address in a target, without port and path. */
const targetHost = (target = ''): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** Whether a check's target has exactly this host. */
export const isAtHost = ({ target }: NamedCheck, typed: string): boolean =>
  targetHost(typed) !== '' && targetHost(target) === targetHost(typed)

/**
 * Finds at most five checks to suggest if no check has the typed name: checks whose target is at the typed host or below it or, if
 * there are none, the checks with the most similar names. Throws ApiError.
 */
export async function findSimilarChecks<Check extends NamedCheck>(
  healthChecks: { listAll(query: object): AsyncIterable<{ results: readonly Check[] }> },
  typed: string,
): Promise<Check[]> {
  const checks: Check[] = []
  for await (const { results } of healthChecks.listAll({})) {
    checks.push(...results)
    if (checks.length >= MAX_SEARCHED) break
  }
  const host = targetHost(typed)
  // Shortest host first: the typed host itself comes before its subdomains.
  const atHost = checks
    .filter(({ target }) => host.includes('.') && `.${targetHost(target)}`.endsWith(`.${host}`))
    .toSorted((left, right) => targetHost(left.target).length - targetHost(right.target).length)
  return atHost.length > 0
    ? atHost.slice(0, MAX_SUGGESTED)
    : findSimilarlyNamed(typed, checks, ({ name }) => name, MAX_SUGGESTED)
}

/** How many characters of a name are compared. */
const MAX_COMPARED = 60
const LETTERS_PER_TYPO = 4
/** Ranks names that contain each other after an exact match, but before any typo. */
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
 * with one name inside the other. Ignores case, accents, and whether spaces or dashes separate words.
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
  const isWord = normalizedTyped.length >= MIN_WORD && !normalizedTyped.includes(' ')
  const ranked: { item: T; distance: number }[] = []
  for (const item of items) {
    const name = normalize(getName(item))
    const distance = containsEither(normalizedTyped, name)
      ? SUBSTRING_DISTANCE
      : Math.min(...listParts(name, isWord).map((part) => editDistance(normalizedTyped, part, maxTypos)))
    if (distance <= maxTypos) ranked.push({ item, distance })
  }
  ranked.sort((left, right) => left.distance - right.distance)
  return ranked.slice(0, maxItems).map(({ item }) => item)
}

/** In characters. A shorter word is near many. */
const MIN_WORD = 6

/** What a mistyped text may mean: a name or, for one word, a word in it. */
const listParts = (name: string, isWord: boolean): string[] => (isWord ? [name, ...name.split(' ')] : [name])

/** Whether one of the names contains the other. Names of less than three characters don't count. */
const containsEither = (typed: string, name: string): boolean =>
  typed.length >= 3 && (name.includes(typed) || (name.length >= 3 && typed.includes(name)))

/** Finds the names with the most of some words, each from the beginning of a word, and these words. Finds none if some have others. */
export function findByWords(
  words: readonly string[],
  checks: readonly NamedCheck[],
): { readonly names: readonly string[]; readonly words: readonly string[] } {
  let found: { names: string[]; words: readonly string[] } = { names: [], words: [] }
  for (const { name } of checks) {
    const normalized = ` ${normalize(name)}`
    const held = words.filter((word) => normalized.includes(` ${normalize(word)}`))
    if (held.length > found.words.length) found = { names: [name], words: held }
    else if (held.length > 0 && held.length === found.words.length)
      found.names.push(...(held.every((word) => found.words.includes(word)) ? [name] : ['']))
  }
  return found.names.includes('') ? { names: [], words: [] } : found
}
