import { safeLine } from '../defang.ts'

const PUNCTUATION = 2
/** What an item needs besides its own text: a line's end, a date, an empty cell's dash. */
const ITEM = 24

/** The characters of all strings in it, a close upper bound of what is shown. */
export function sizeOf(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (part instanceof Date || typeof part !== 'object' || part === null) return 0
  return Object.values(part).reduce((sum: number, inner) => sum + sizeOf(inner) + PUNCTUATION, 0)
}

/** Formats items one by one until their text is `maxLength` characters long; the rest is only counted. */
export function fitItems<T, R extends string | readonly string[]>(
  items: readonly T[],
  maxLength: number,
  format: (item: T) => R,
): { shown: R[]; left: number } {
  const shown: R[] = []
  let size = 0
  for (const item of items) {
    const formatted = format(item)
    size += sizeOf(formatted) + ITEM
    if (size > maxLength) break
    shown.push(formatted)
  }
  return { shown, left: items.length - shown.length }
}

/** As many items as fit into `maxLength` characters, defanged, and how many more there are. */
export function listed(items: readonly string[], maxLength: number): string | undefined {
  const { shown, left } = fitItems(items, maxLength, (item) => safeLine(item, 100))
  if (shown.length === 0) return undefined
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}
