import type { Json } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'

/** The total length of all strings in fields named `text`, at any depth, in code points. */
export function textLength(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textLength(item), 0)
  if (!isFields(value)) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) =>
      sum + (name === 'text' && typeof inner === 'string' ? [...inner].length : textLength(inner)),
    0,
  )
}
