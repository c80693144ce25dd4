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

function countEdits(from: string, to: string, maxDistance: number): number {
  let lastTwoRows: readonly [secondLast: readonly number[], last: readonly number[]] = [
    [],
    Array.from({ length: to.length + 1 }, (_, column) => column),
  ]
  for (let row = 1; row <= from.length; row += 1) {
    const distances = computeRow(from, to, row, lastTwoRows)
    if (Math.min(...distances) > maxDistance) return maxDistance + 1
    lastTwoRows = [lastTwoRows[1], distances]
  }
  return Math.min(lastTwoRows[1][to.length] ?? 0, maxDistance + 1)
}

/** Computes the distance of each prefix of `to` from the first `row` letters of `from`. */
function computeRow(
  from: string,
  to: string,
  row: number,
  [secondLast, last]: readonly [readonly number[], readonly number[]],
): number[] {
  const distances = [row]
  for (let column = 1; column <= to.length; column += 1) {
    const change = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
    const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
    const swap = isSwap ? (secondLast[column - 2] ?? 0) + 1 : change
    const remove = (last[column] ?? 0) + 1
    const add = (distances[column - 1] ?? 0) + 1
    distances.push(Math.min(remove, add, change, swap))
  }
  return distances
}
