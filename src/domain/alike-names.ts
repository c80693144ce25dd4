/** Names longer than this are compared by their beginning. */
const COMPARED = 60
/** One letter in so many may be wrong. */
const LETTERS_PER_SLIP = 4

const normal = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_.-]+/g, ' ')
    .trim()
    .slice(0, COMPARED)

/**
 * Those of the names that a mistyped one was likely meant to be, likest first: with few letters wrong, missing or swapped,
 * or with what was typed within them. Case, accents, and spaces or dashes between words do not count.
 */
export function alikeNames<T>(
  typed: string,
  items: Iterable<T>,
  nameOf: (item: T) => string,
  most: number,
): T[] {
  const wanted = normal(typed.replaceAll('*', ' '))
  if (wanted === '') return []
  const slips = Math.max(1, Math.floor(wanted.length / LETTERS_PER_SLIP))
  const ranked: { item: T; distance: number }[] = []
  for (const item of items) {
    const name = normal(nameOf(item))
    const distance = isWithin(wanted, name) ? 0.5 : distanceOf(wanted, name, slips)
    if (distance <= slips) ranked.push({ item, distance })
  }
  ranked.sort((left, right) => left.distance - right.distance)
  return ranked.slice(0, most).map(({ item }) => item)
}

const isWithin = (wanted: string, name: string): boolean =>
  wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))

/** Letters to change, add, leave out or swap; more than `most` are not counted on. */
function distanceOf(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let lines: readonly [before: readonly number[], above: readonly number[]] = [
    [],
    Array.from({ length: to.length + 1 }, (_, column) => column),
  ]
  for (let row = 1; row <= from.length; row += 1) {
    const line = nextLine(from, to, row, lines)
    if (Math.min(...line) > most) return most + 1
    lines = [lines[1], line]
  }
  return lines[1][to.length] ?? most + 1
}

/** What each beginning of `to` is away from the first `row` letters of `from`. */
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
