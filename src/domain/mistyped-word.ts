import { editDistance } from './edit-distance.ts'

const MOST_TYPOS = 2

/**
 * The known word (a verb, flag, or variable) that a mistyped one was probably meant to be: at most two typos away, and fewer
 * than its letters. Where a wrong guess does harm, each typo needs this many `lettersPerTypo`.
 */
export function closestWord(
  typed: string,
  known: readonly string[],
  { lettersPerTypo = 1 }: { lettersPerTypo?: number } = {},
): string | undefined {
  const lower = typed.toLowerCase()
  const ranked = known
    .map((word) => ({ word, typos: editDistance(lower, word, MOST_TYPOS) }))
    .filter(
      ({ word, typos }) =>
        typos <= MOST_TYPOS && typos < word.length && typos * lettersPerTypo <= word.length,
    )
    .sort((left, right) => left.typos - right.typos)
  return ranked[0]?.word
}
