import { mapInSlices } from '@signalman/runtime'
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

/** A health check, and the forms in which its name and target are compared with what a person typed. */
export interface KnownCheck<Check extends NamedCheck = NamedCheck> {
  readonly check: Check
  /** As `foldName` returns it. */
  readonly name: string
  /** The same, without the scheme and a final slash. */
  readonly target: string
  readonly host: string
  /** The name without accents, and with a space between words. */
  readonly letters: string
}

export function toKnown<Check extends NamedCheck>(check: Check): KnownCheck<Check> {
  const { target = '' } = check
  const name = foldName(check.name)
  return {
    ...{ check, name, target: withoutScheme(target), host: targetHost(target) },
    letters: toLetters(name),
  }
}

const prepared = new WeakMap<readonly NamedCheck[], Promise<readonly KnownCheck[]>>()

/** Prepares a listing once, however many people look for a name in it. */
export function prepareNames<Check extends NamedCheck>(
  checks: readonly Check[],
): Promise<readonly KnownCheck<Check>[]> {
  const known = prepared.get(checks) ?? mapInSlices(checks, toKnown)
  prepared.set(checks, known)
  // It was prepared from these checks.
  return known as Promise<readonly KnownCheck<Check>[]>
}

/** The host or address in a target, without port and path. */
export const targetHost = (target: string): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:?#]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** `https://` and a final slash say nothing about which target it is. */
export const withoutScheme = (target: string): string =>
  foldName(target)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')

const ASCII = /^[\x20-\x7e]*$/

/** The form of a name, or of a part of one, in which accents, and what is between words, make no difference. */
export function toLetters(text: string): string {
  const name = foldName(text)
  // Most names have no accents, and removing them takes longer than the rest.
  const letters = ASCII.test(name) ? name : name.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return letters.replaceAll(/[\s_.-]+/g, ' ').trim()
}

/**
 * Whether a check has a text in its name, from the beginning of a word. `ack` doesn't mean “Payments callback”, and `web-1` isn't
 * “web-10”. The text is as `toLetters` returns it.
 */
export function hasPart({ letters }: Pick<KnownCheck, 'letters'>, part: string): boolean {
  for (let at = part === '' ? -1 : letters.indexOf(part); at !== -1; at = letters.indexOf(part, at + 1)) {
    const isWithinWord = /[\p{L}\p{N}]$/u.test(letters.slice(Math.max(0, at - 2), at))
    const isWithinNumber = /\d$/.test(part) && /\d/.test(letters.charAt(at + part.length))
    if (!isWithinWord && !isWithinNumber) return true
  }
  return false
}

/**
 * Whether a check may be the one that was typed: all of the text is in its name or its target, or its name differs by a typo. Another
 * number, host, or path is another check.
 */
export function mayBeMeant({ check, name, target, letters }: KnownCheck, typed: string): boolean {
  const text = withoutScheme(typed)
  const isPart = name.includes(text) || target.includes(text)
  const isSameNumber = getDigits(check.name) === getDigits(typed) && !/[./:]/.test(text)
  return isPart || (isSameNumber && countTypos(toCompared(typed), letters, MAX_TYPOS) <= MAX_TYPOS)
}

/** More letters are another word: `Shop API old`. */
const MAX_TYPOS = 2

const getDigits = (text: string): string => text.replaceAll(/\D+/g, ' ').trim()

/** How many characters of a name are compared. */
const MAX_COMPARED = 60
const LETTERS_PER_TYPO = 4
/** Ranks names that contain the text after an exact match, but before any typo. */
const SUBSTRING_DISTANCE = 0.5

const toCompared = (typed: string): string =>
  toLetters(typed.slice(0, 2 * MAX_COMPARED)).slice(0, MAX_COMPARED)

/** A text may be long, and what it's about is at its beginning. */
const MAX_TEXT = 500
const splitText = (text: string): string[] => text.split(/[\s,;!?"]+/)

/**
 * Finds at most five checks to suggest if no check has the typed name: checks whose target is at the typed host or below it or, if there
 * are none, those with the most similar names, most similar first: with a few letters wrong, missing, or swapped, or with the text inside.
 */
export async function findSimilarChecks<Check extends NamedCheck>(
  checks: readonly Check[],
  typed: string,
): Promise<Check[]> {
  const known = await prepareNames(checks)
  const host =
    splitText(typed.slice(0, MAX_TEXT))
      .map(targetHost)
      .find((each) => each.includes('.')) ?? ''
  const subdomain = `.${host}`
  const atHost = (host === '' ? [] : known)
    .filter((each) => each.host === host || each.host.endsWith(subdomain))
    // The typed host itself comes before its subdomains.
    .toSorted((left, right) => left.host.length - right.host.length)
  const similar = atHost.length > 0 ? atHost : await findSimilarlyNamed(known, typed)
  const found = similar.length > 0 ? similar : await findByWords(known, typed)
  return found.slice(0, MAX_SUGGESTED).map(({ check }) => check)
}

async function findSimilarlyNamed<Known extends KnownCheck>(
  known: readonly Known[],
  text: string,
): Promise<Known[]> {
  const typed = toCompared(text.replaceAll('*', ' '))
  if (typed === '') return []
  const maxTypos = Math.max(1, Math.floor(typed.length / LETTERS_PER_TYPO))
  const distances = await mapInSlices(known, ({ letters }) => {
    if (typed.length >= 3 && letters.includes(typed)) return SUBSTRING_DISTANCE
    return countTypos(typed, letters, maxTypos)
  })
  return known
    .map((each, at) => ({ each, distance: distances[at] ?? Number.POSITIVE_INFINITY }))
    .filter(({ distance }) => distance <= maxTypos)
    .toSorted((left, right) => left.distance - right.distance)
    .map(({ each }) => each)
}

/** In characters. A shorter word is near many. */
const MIN_WORD = 6

/** How many letters a text and a name differ by or, for one word, the text and a word in the name. `max` is where counting stops. */
function countTypos(typed: string, letters: string, max: number): number {
  const name = letters.slice(0, MAX_COMPARED)
  const isWord = typed.length >= MIN_WORD && !typed.includes(' ')
  const parts = isWord ? [name, ...name.split(' ')] : [name]
  return Math.min(...parts.map((part) => editDistance(typed, part, max)))
}

/** The name or target of a health check that a text is. */
export function findNameOrTarget(text: string, names: readonly KnownCheck[] = []): string | undefined {
  const [name, target] = [foldName(text), withoutScheme(text)]
  const found = names.find((known) => known.name === name || (target !== '' && known.target === target))
  return found && (found.name === name ? found.check.name : text)
}

/** A shorter word is in many names. */
const MIN_PART = 3

/** The checks that have some of the typed words in their names, those with the most first. */
async function findByWords<Known extends KnownCheck>(
  known: readonly Known[],
  typed: string,
): Promise<Known[]> {
  const words = new Set(
    splitText(typed.slice(0, MAX_TEXT))
      // The words of an address are another site’s.
      .filter((word) => !targetHost(word).includes('.'))
      .flatMap((word) => toLetters(word).split(' '))
      .filter(({ length }) => length >= MIN_PART),
  )
  const counts = await mapInSlices(
    known,
    ({ letters }) => letters.split(' ').filter((part) => words.has(part)).length,
  )
  // Not spread: an account may have more names than a call may have arguments.
  const most = counts.reduce((left, right) => Math.max(left, right), 1)
  const found = known.filter((_, at) => counts[at] === most)
  // Of many, a few would be any.
  return found.length > MAX_SUGGESTED ? [] : found
}
