import { UserError } from '@signalman/runtime'
import { fromWallTime, toWallTime } from './zoned-time.ts'

/** The error for a time in the past, where only a future one makes sense. */
export const TIME_PASSED = 'That time has passed. Type one in the future.'

/** The hour of a date or day without a time. */
const DEFAULT_HOUR = 9
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{1,2}):(\d{2}))?(z)?$/i
const TIME = /^(\d{1,2}):(\d{2})$/
const TWELVE_HOUR_TIME = /\b(1[0-2]|0?[1-9])(?::(\d{2}))? ?([ap])\.?m\b\.?/i
const DAY = /^([a-z]{3,9})(?: (\d{1,2})(?::(\d{2}))?)?$/i
const NAMED_DATE =
  /^(?:(?<day>\d{1,2})(?:st|nd|rd|th|\.)? (?<month>[a-z]{3,9})|(?<month>[a-z]{3,9}) (?<day>\d{1,2})(?:st|nd|rd|th)?),?(?: (?<year>\d{4}))?(?: (?<hour>\d{1,2}):(?<minute>\d{2}))?$/i
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)
/** Named times of day. */
const NAMED_TIMES: Readonly<Record<string, string>> = { morning: '9:00', noon: '12:00', evening: '18:00' }
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Parses a date such as `2026-12-25` or `25 Dec`, a time of day, or a day such as `tomorrow`, `Monday 9:00`, or `Mon 9am`. Returns
 * the next such moment in the person's time zone; undefined for any other text. Throws UserError for a date that doesn't exist.
 */
export function parseMoment(typed: string, now: Date, timeZone: string): Date | undefined {
  const plain = typed
    .replace(
      TWELVE_HOUR_TIME,
      (_, hour, minute = '00', half) => `${(Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)}:${minute}`,
    )
    .replace(/ at (?=\d)/i, ' ')
    .replace(/ (morning|noon|evening)$/i, (_, name: string) => ` ${NAMED_TIMES[name.toLowerCase()]}`)
  return (
    parseDate(plain, timeZone) ??
    parseNamedDate(plain, now, timeZone) ??
    parseTime(plain, now, timeZone) ??
    parseDay(plain, now, timeZone)
  )
}

/**
 * Parses `2026-12-25 09:00`. Throws UserError for a day or time that doesn't exist. If this returned undefined for
 * `2026-02-30 09:00`, `/hc mute` would try its last word alone, and mute until 9:00 today.
 */
function parseDate(typed: string, timeZone: string): Date | undefined {
  const [, year, month, day, hour = DEFAULT_HOUR, minute = 0, utc] = DATE.exec(typed) ?? []
  if (year === undefined) return undefined
  const wall = toNumbers({ year, month, day, hour, minute })
  if (!isDay(wall) || !isTime(wall)) throw new UserError(`There is no ${typed}.`)
  return fromWallTime(wall, utc ? 'UTC' : timeZone)
}

/** How far ahead February 29 can be: leap years are at most eight years apart. */
const YEARS_AHEAD = 8

/** Parses `25 December` or `Dec 25 9:00`; without a year, the next such date. Throws UserError for a day that doesn't exist. */
function parseNamedDate(typed: string, now: Date, timeZone: string): Date | undefined {
  const {
    day,
    month: name = '',
    year,
    hour = DEFAULT_HOUR,
    minute = 0,
  } = NAMED_DATE.exec(typed)?.groups ?? {}
  const month = MONTHS.findIndex((month) => month.startsWith(name.toLowerCase())) + 1
  if (day === undefined || month === 0) return undefined
  const firstYear = Number(year ?? toWallTime(now, timeZone).year)
  for (let ahead = 0; ahead <= (year === undefined ? YEARS_AHEAD : 0); ahead += 1) {
    const wall = toNumbers({ year: firstYear + ahead, month, day, hour, minute })
    const at = isDay(wall) && isTime(wall) ? fromWallTime(wall, timeZone) : undefined
    if (at && (at > now || year !== undefined)) return at
  }
  throw new UserError(`There is no ${typed}.`)
}

/** The next moment with this time of day. */
function parseTime(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, hour, minute] = TIME.exec(typed) ?? []
  if (hour === undefined) return undefined
  const wall = { ...toWallTime(now, timeZone), ...toNumbers({ hour, minute }) }
  if (!isTime(wall)) return undefined
  const at = fromWallTime(wall, timeZone)
  return at > now ? at : fromWallTime({ ...wall, day: wall.day + 1 }, timeZone)
}

/**
 * Parses a day with or without a time. Today's weekday without a future time means a week from today. An abbreviation such as `mon`
 * needs a time, because it may be part of a name.
 */
function parseDay(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, name = '', hour, minute = 0] = DAY.exec(typed) ?? []
  const today = toWallTime(now, timeZone)
  const days = daysUntil(name.toLowerCase(), hour !== undefined, today.weekday)
  if (days === undefined) return undefined
  const wall = { ...today, ...toNumbers({ hour: hour ?? DEFAULT_HOUR, minute }), day: today.day + days }
  if (!isTime(wall)) return undefined
  const at = fromWallTime(wall, timeZone)
  const isOver = days === 0 && (hour === undefined || at <= now)
  return isOver ? fromWallTime({ ...wall, day: wall.day + 7 }, timeZone) : at
}

function daysUntil(name: string, hasTime: boolean, today: number): number | undefined {
  if (name === 'tomorrow') return 1
  if (name === 'today' || name === 'tonight') return hasTime ? 0 : undefined
  const weekday = WEEKDAYS.findIndex((day) => day === name || (hasTime && day.slice(0, 3) === name))
  return weekday === -1 ? undefined : (weekday - today + 7) % 7
}

function toNumbers<K extends string>(texts: Record<K, string | number | undefined>): Record<K, number> {
  // The keys of the result are those of the input.
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<
    K,
    number
  >
}

const isTime = ({ hour, minute }: { hour: number; minute: number }): boolean => hour < 24 && minute < 60

function isDay({ year, month, day }: { year: number; month: number; day: number }): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
