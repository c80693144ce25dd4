/**
 * Counts the letters to change, add, remove, or swap with a neighbor until the texts are equal (optimal string alignment, a
 * restricted Damerau–Levenshtein distance). Stops after `maxDistance` and returns `maxDistance + 1`.
 */
export function editDistance(from: string, to: string, maxDistance: number): number {
  if (Math.abs(from.length - to.length) > maxDistance) return maxDistance + 1
  // What both begin and end with costs nothing, and is most of two similar names.
  let start = 0
  while (start < from.length && from[start] === to[start]) start += 1
  let end = 0
  const shorter = Math.min(from.length, to.length) - start
  while (end < shorter && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return countEdits(from.slice(start, from.length - end), to.slice(start, to.length - end), maxDistance)
}

/** Computes a row of distances for each letter of `from`, only as far from the diagonal as a distance may be. */
function countEdits(from: string, to: string, maxDistance: number): number {
  const tooFar = maxDistance + 1
  let rows: Rows = [[], Array.from({ length: to.length + 1 }, (_, column) => column), []]
  for (let row = 1; row <= from.length; row += 1) {
    if (computeRow(from, to, row, rows, maxDistance) > maxDistance) return tooFar
    const [secondLast, last, current] = rows
    rows = [last, current, secondLast]
  }
  return Math.min(rows[1][to.length] ?? tooFar, tooFar)
}

/** The two last rows, and the one to compute. */
type Rows = readonly [secondLast: number[], last: number[], current: number[]]

/** Computes the distance of each prefix of `to` from the first `row` letters of `from`. Returns the least one. */
function computeRow(
  from: string,
  to: string,
  row: number,
  [secondLast, last, current]: Rows,
  maxDistance: number,
): number {
  const tooFar = maxDistance + 1
  const [first, end] = [Math.max(1, row - maxDistance), Math.min(to.length, row + maxDistance)]
  let before = first === 1 ? row : tooFar
  let least = before
  current[first - 1] = before
  for (let column = first; column <= end; column += 1) {
    const change = (last[column - 1] ?? tooFar) + (from[row - 1] === to[column - 1] ? 0 : 1)
    const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
    const swap = isSwap ? (secondLast[column - 2] ?? tooFar) + 1 : change
    before = Math.min(before + 1, (last[column] ?? tooFar) + 1, change, swap)
    least = Math.min(least, before)
    current[column] = before
  }
  current[end + 1] = tooFar
  return least
}
