import { safeLine } from '../defang.ts'

const PUNCTUATION = 2
/** What an item takes besides its own text: a line's end, a date, an empty cell's dash. */
const ITEM = 24

/** Characters of every string in it: a close upper bound of what will be shown. */
export function sizeOf(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (part instanceof Date || typeof part !== 'object' || part === null) return 0
  return Object.values(part).reduce((sum: number, inner) => sum + sizeOf(inner) + PUNCTUATION, 0)
}

/** Items made ready one by one while there is room for `room` characters; the rest is only counted. */
export function fill<T, R extends string | readonly string[]>(
  items: readonly T[],
  room: number,
  ready: (item: T) => R,
): { shown: R[]; left: number } {
  const shown: R[] = []
  let size = 0
  for (const item of items) {
    const made = ready(item)
    size += sizeOf(made) + ITEM
    if (size > room) break
    shown.push(made)
  }
  return { shown, left: items.length - shown.length }
}

/** As many as have room, defanged, and how many more. */
export function listed(items: readonly string[], room: number): string | undefined {
  const { shown, left } = fill(items, room, (item) => safeLine(item, 100))
  if (shown.length === 0) return undefined
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}
