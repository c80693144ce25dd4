/**
 * Counts the letters to change, add, remove, or swap with a neighbor until the texts are equal (optimal string alignment, a
 * restricted Damerau–Levenshtein distance). Stops after `maxDistance` and returns `maxDistance + 1`.
 */
export function editDistance(from: string, to: string, maxDistance: number): number {
  if (Math.abs(from.length - to.length) > maxDistance) return maxDistance + 1
  let lines: readonly [before: readonly number[], above: readonly number[]] = [
    [],
    Array.from({ length: to.length + 1 }, (_, column) => column),
  ]
  for (let row = 1; row <= from.length; row += 1) {
    const line = nextLine(from, to, row, lines)
    if (Math.min(...line) > maxDistance) return maxDistance + 1
    lines = [lines[1], line]
  }
  return Math.min(lines[1][to.length] ?? 0, maxDistance + 1)
}

/** The distance of each prefix of `to` from the first `row` letters of `from`. */
function nextLine(
  from: string,
  to: string,
  row: number,
  [before, above]: readonly [readonly number[], readonly number[]],
): number[] {
  const line = [row]
  for (let column = 1; column <= to.length; column += 1) {
    const change = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
    const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
    const swap = isSwap ? (before[column - 2] ?? 0) + 1 : change
    line.push(Math.min((above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1, change, swap))
  }
  return line
}
