/** Text as it came; a bare number counts as its digits, since the service quotes some numbers and not others. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/

/** A number as such or as a quoted string; never NaN or infinite, nor a whole number too long to be held exactly. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return isExact(value) ? value : undefined
  if (typeof value !== 'string' || !NUMBER.test(value)) return undefined
  const number = Number(value)
  return isExact(number) ? number : undefined
}

function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
}

/** A boolean as such or as the quoted words true and false. */
export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

/** A JSON object, or undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // A JSON object is a record of unknown values by construction.
  return value as Record<string, unknown>
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`; a time that names no zone is read as UTC, not as this machine's zone. */
export function asDate(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const written = isTimeLike(value) ? new Date(value) : undefined
  // As the interface shows it, and on a day that there is: such a one comes back as it was.
  if (written?.toJSON() === value) return written
  const date = new Date(inUtc(value) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Whether all but the digits is as in the one form of times that the interface shows, `2026-01-02T03:04:05.678Z`. */
export function isTimeLike(text: string): boolean {
  if (text.length !== 24 || text[10] !== 'T' || text[19] !== '.' || text[23] !== 'Z') return false
  return text[4] === '-' && text[7] === '-' && text[13] === ':' && text[16] === ':'
}

/** Date's own parser takes 31 February for a day in March. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

function inUtc(value: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] = DATE_TIME.exec(value.trim()) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return `${day}T${time}${offset}`
}
