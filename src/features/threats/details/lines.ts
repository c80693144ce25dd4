import { lasted } from '@signalman/runtime'
import { type Line, words } from '@signalman/slack'
import { safeLine } from '../defang.ts'

/** A piece of a line: safe text, or a date. */
type Part = string | Date

/** `Label: parts`, or nothing when every part is empty. */
export function fact(label: string, ...parts: (Part | undefined)[]): Line[] {
  const said = parts.flatMap((part) => (part === undefined || part === '' ? [] : [part]))
  return said.length === 0 ? [] : [[words(`${label}: `, { bold: true }), ...said]]
}

/** A date with its distance from now and from the report; nothing when there is no date. */
export function dated(at: Date | undefined, now: Date, reported?: Date): Part[] {
  if (!at) return []
  const distance = at > now ? `in ${lasted(now, at)}` : `${lasted(at, now)} ago`
  const before = reported && at <= reported ? `, ${lasted(at, reported)} before the report` : ''
  return [at, ` (${distance}${before})`]
}

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
