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

/** A JSON list, or undefined for anything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`; a time that names no zone is read as UTC, not as this machine's zone. */
export function asDate(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const date = new Date(exactTime(value) ?? inUtc(value) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/**
 * Milliseconds of a time in the one form that the interface shows, `2026-01-02T03:04:05.678Z`; undefined for any other.
 * A page of 500 checks holds 1,000 of them: read digit by digit they cost a quarter of what Date's own parser takes.
 */
function exactTime(text: string): number | undefined {
  if (!isTimeLike(text)) return undefined
  const month = two(text, 5)
  const day = two(text, 8)
  const hour = two(text, 11)
  const minute = two(text, 14)
  const second = two(text, 17)
  const ms = two(text, 20) * 10 + digit(text, 22)
  const century = two(text, 0)
  const yearOfIt = two(text, 2)
  if (hour > 23 || minute > 59 || second > 59) return undefined
  if (hour < 0 || minute < 0 || second < 0 || ms < 0 || century < 0 || yearOfIt < 0) return undefined
  const year = century * 100 + yearOfIt
  if (!isDay(year, month, day)) return undefined
  const days = daysBefore(year, month) + day - 1
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms
}

/** Whether all but the digits is as in that form. */
export function isTimeLike(text: string): boolean {
  if (text.length !== 24 || text[10] !== 'T' || text[19] !== '.' || text[23] !== 'Z') return false
  return text[4] === '-' && text[7] === '-' && text[13] === ':' && text[16] === ':'
}

/** Days from 1 January 1970 to the first of the month. Years are counted from March here, so that a leap day ends one. */
function daysBefore(year: number, month: number): number {
  const years = month > 2 ? year : year - 1
  // Whole division by bits: years are small, and doubles would cost as much as all the rest.
  const centuries = (years / 100) | 0
  const leapDays = (years >> 2) - centuries + (centuries >> 2)
  const monthsSinceMarch = month > 2 ? month - 3 : month + 9
  return years * 365 + leapDays + (((153 * monthsSinceMarch + 2) / 5) | 0) - 719_468
}

/** Date's own parser takes 31 February for a day in March. */
function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  return day <= 28 || day <= (month === 12 ? 31 : daysBefore(year, month + 1) - daysBefore(year, month))
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}

/** Where there is none, so far below zero that no other digit makes up for it; NaN would make slow numbers of them all. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48
  return value >= 0 && value <= 9 ? value : -1000
}

function inUtc(value: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] = DATE_TIME.exec(value.trim()) ?? []
  if (day === undefined || !isDay(Number(day.slice(0, 4)), two(day, 5), two(day, 8))) return undefined
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return `${day}T${time}${offset}`
}
