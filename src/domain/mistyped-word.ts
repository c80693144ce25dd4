import { editDistance } from './edit-distance.ts'

const MAX_TYPOS = 2

interface Closeness {
  /** Where a wrong guess would do harm, the known word needs that many letters for each typo. */
  readonly lettersPerTypo?: number
}

/**
 * Finds the known word (a verb, flag, or variable) that is most similar to a mistyped one: at most two typos away, and with more
 * letters than typos.
 */
export const closestWord = (
  typed: string,
  candidates: readonly string[],
  options: Closeness = {},
): string | undefined => closestWords(typed, candidates, options)[0]

/** The same for all words that are as similar. One that only has more letters comes first: `umute` is `unmute` before `mute`. */
export function closestWords(
  typed: string,
  candidates: readonly string[],
  { lettersPerTypo = 1 }: Closeness = {},
): string[] {
  const lower = typed.toLowerCase()
  const ranked = candidates
    .map((word) => ({ word, typos: editDistance(lower, word, MAX_TYPOS) }))
    .filter(
      ({ word, typos }) => typos <= MAX_TYPOS && typos < word.length && typos * lettersPerTypo <= word.length,
    )
  const fewest = Math.min(...ranked.map(({ typos }) => typos))
  const closest = ranked.flatMap(({ word, typos }) => (typos === fewest ? [word] : []))
  return closest.toSorted((left, right) => Number(hasLetters(right, lower)) - Number(hasLetters(left, lower)))
}

/** Whether a longer word has all letters of a shorter one in their order. */
function hasLetters(word: string, letters: string): boolean {
  let found = 0
  for (const letter of word) if (letter === letters[found]) found += 1
  return found === letters.length && word.length > letters.length
}

/** Words with fewer letters turn into other words with one letter: `batch` and `watch`. */
const LONG_WORD = 6
const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const VOWELS = /^[aeiouy]{2}$/

const areNeighbors = (left: string, right: string): boolean =>
  VOWELS.test(left + right) ||
  KEY_ROWS.some((row) => row.includes(left + right) || row.includes(right + left))

/** Whether two words have the same letters in another order. */
export const areSwapped = (left: string, right: string): boolean =>
  left.length === right.length &&
  [...left.toLowerCase()].toSorted().join('') === [...right].toSorted().join('')

/**
 * How likely a word that is close to a known one is a mistyped one: `sure` for a letter too many, too few, or swapped; `likely` if it
 * is the start of the known word, or has a neighboring key or another vowel; otherwise `hardly`, as `shop` for `show`.
 */
export function rateTypo(typed: string, word: string): 'sure' | 'likely' | 'hardly' {
  const lower = typed.toLowerCase()
  if (lower.length !== word.length) return word.startsWith(lower) ? 'likely' : 'sure'
  if (areSwapped(lower, word)) return 'sure'
  if (word.length >= LONG_WORD) return 'sure'
  return [...lower].every((letter, at) => letter === word[at] || areNeighbors(letter, word[at] ?? ''))
    ? 'likely'
    : 'hardly'
}
