/**
 * The known word that a mistyped one was meant to be: at most two typos away, and fewer than its letters. Where a wrong guess
 * does harm, each typo needs so many `lettersPerTypo`.
 */
export function nearest(
  typed: string,
  known: readonly string[],
  { lettersPerTypo = 1 }: { lettersPerTypo?: number } = {},
): string | undefined {
  // Longer input is no typo, and this keeps the work bounded whatever is pasted.
  if (typed.length > 30) return undefined
  const ranked = known
    .map((word) => ({ word, typos: typos(typed.toLowerCase(), word) }))
    .filter(({ word, typos }) => typos <= 2 && typos < word.length && typos * lettersPerTypo <= word.length)
    .sort((left, right) => left.typos - right.typos)
  return ranked[0]?.word
}

/** Insertions, deletions and substitutions between two words, two swapped neighbours counting as one. */
function typos(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const costs = [
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        ...(swapped ? [(before[column - 2] ?? 0) + 1] : []),
      ]
      line.push(Math.min(...costs))
    }
    before = above
    above = line
  }
  return above[to.length] ?? 0
}
