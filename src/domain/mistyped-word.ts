import { editDistance } from './edit-distance.ts'

const MAX_TYPOS = 2

/**
 * Finds the known word (a verb, flag, or variable) that is most similar to a mistyped one: at most two typos away, and with more
 * letters than typos. Where a wrong guess would do harm, `lettersPerTypo` requires that many letters for each typo.
 */
export function closestWord(
  typed: string,
  candidates: readonly string[],
  { lettersPerTypo = 1 }: { lettersPerTypo?: number } = {},
): string | undefined {
  const lower = typed.toLowerCase()
  const ranked = candidates
    .map((word) => ({ word, typos: editDistance(lower, word, MAX_TYPOS) }))
    .filter(
      ({ word, typos }) => typos <= MAX_TYPOS && typos < word.length && typos * lettersPerTypo <= word.length,
    )
    .sort((left, right) => left.typos - right.typos)
  return ranked[0]?.word
}
