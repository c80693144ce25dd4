import { editDistance } from './edit-distance.ts'

const MAX_TYPOS = 2

interface Closeness {
  /** Where a wrong guess would do harm, the known word needs that many letters for each typo. */
  readonly lettersPerTypo?: number
}

/**
 * Finds the known word (a verb, flag, or variable) that is most similar to a mistyped one: at most two typos away, and with more
 * letters than typos. Undefined if there is none. It is only ever suggested.
 */
export function closestWord(
  typed: string,
  candidates: readonly string[],
  { lettersPerTypo = 2 }: Closeness = {},
): string | undefined {
  const lower = typed.toLowerCase()
  let [closest, fewest]: [string | undefined, number] = [undefined, MAX_TYPOS + 1]
  for (const word of candidates) {
    const typos = editDistance(lower, word, MAX_TYPOS)
    if (typos < fewest && typos * lettersPerTypo <= word.length) [closest, fewest] = [word, typos]
  }
  return closest
}
