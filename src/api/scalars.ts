import { z } from 'zod'

/** A field that may be missing or of any type: what it holds is read leniently, by the functions below. */
export const loose = z.unknown().optional()

/** Text as it came; a bare number counts as its digits, since the service quotes some numbers and not others. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/

/** A number as such or as a quoted string; never NaN or infinite. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !NUMBER.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** A boolean as such or as the quoted words true and false. */
export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`; a time that names no zone is read as UTC, not as this machine's zone. */
export function asDate(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const utc = value.length === 24 && value.endsWith('Z') ? value : inUtc(value)
  if (utc === undefined) return undefined
  const date = new Date(utc)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function inUtc(value: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] = DATE_TIME.exec(value.trim()) ?? []
  if (day === undefined) return undefined
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return `${day}T${time}${offset}`
}

/** The items a schema can read, in order, and how many it could not: one bad row loses one row. */
export function readEach<T>(
  schema: z.ZodType<T>,
  items: readonly unknown[],
): { read: T[]; unreadable: number } {
  const read: T[] = []
  for (const item of items) {
    const result = schema.safeParse(item)
    if (result.success) read.push(result.data)
  }
  return { read, unreadable: items.length - read.length }
}
