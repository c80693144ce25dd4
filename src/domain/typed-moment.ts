import { UserError } from '@signalman/runtime'
import { fromWallTime, toWallTime } from './zoned-time.ts'

/** A time of day alone. */
const MORNING = 9
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{1,2}):(\d{2}))?(z)?$/i
const TIME = /^(\d{1,2}):(\d{2})$/
const HALF_DAY = /\b(1[0-2]|0?[1-9])(?::(\d{2}))? ?([ap])\.?m\b\.?/i
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
 * A date such as `2026-12-25` or `25 Dec`, a time of day, or a day such as `tomorrow`, `Monday 9:00`, or `Mon 9am`, in the
 * person's time zone: the next one in the future. Undefined for anything else; throws UserError for a date that doesn't
 * exist.
 */
export function readMoment(typed: string, now: Date, timeZone: string): Date | undefined {
  const plain = typed
    .replace(
      HALF_DAY,
      (_, hour, minute = '00', half) => `${(Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)}:${minute}`,
    )
    .replace(/ at (?=\d)/i, ' ')
    .replace(/ (morning|noon|evening)$/i, (_, name: string) => ` ${NAMED_TIMES[name.toLowerCase()]}`)
  return (
    readDate(plain, timeZone) ??
    readNamedDate(plain, now, timeZone) ??
    readTime(plain, now, timeZone) ??
    readDay(plain, now, timeZone)
  )
}

/** Throws UserError for a day or time that doesn't exist: otherwise its end alone could be read as a time today. */
function readDate(typed: string, timeZone: string): Date | undefined {
  const [, year, month, day, hour = MORNING, minute = 0, utc] = DATE.exec(typed) ?? []
  if (year === undefined) return undefined
  const wall = numbers({ year, month, day, hour, minute })
  if (!isDay(wall) || !isTime(wall)) throw new UserError(`There is no ${typed}.`)
  return fromWallTime(wall, utc ? 'UTC' : timeZone)
}

/** Leap years are at most eight years apart. */
const YEARS_AHEAD = 8

/** `25 December`, `Dec 25 9:00`: the next one, unless it has a year. Throws UserError for a day that doesn't exist. */
function readNamedDate(typed: string, now: Date, timeZone: string): Date | undefined {
  const { day, month: name = '', year, hour = MORNING, minute = 0 } = NAMED_DATE.exec(typed)?.groups ?? {}
  const month = MONTHS.findIndex((one) => one.startsWith(name.toLowerCase())) + 1
  if (day === undefined || month === 0) return undefined
  const first = Number(year ?? toWallTime(now, timeZone).year)
  for (let ahead = 0; ahead <= (year === undefined ? YEARS_AHEAD : 0); ahead += 1) {
    const wall = numbers({ year: first + ahead, month, day, hour, minute })
    const at = isDay(wall) && isTime(wall) ? fromWallTime(wall, timeZone) : undefined
    if (at && (at > now || year !== undefined)) return at
  }
  throw new UserError(`There is no ${typed}.`)
}

/** The next moment with this time of day. */
function readTime(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, hour, minute] = TIME.exec(typed) ?? []
  if (hour === undefined) return undefined
  const wall = { ...toWallTime(now, timeZone), ...numbers({ hour, minute }) }
  if (!isTime(wall)) return undefined
  const at = fromWallTime(wall, timeZone)
  return at > now ? at : fromWallTime({ ...wall, day: wall.day + 1 }, timeZone)
}

/** Today's weekday means in a week, unless a future time is given. Three letters alone may be part of a name. */
function readDay(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, name = '', hour, minute = 0] = DAY.exec(typed) ?? []
  const today = toWallTime(now, timeZone)
  const days = daysUntil(name.toLowerCase(), hour !== undefined, today.weekday)
  if (days === undefined) return undefined
  const wall = { ...today, ...numbers({ hour: hour ?? MORNING, minute }), day: today.day + days }
  if (!isTime(wall)) return undefined
  const at = fromWallTime(wall, timeZone)
  const isOver = days === 0 && (hour === undefined || at <= now)
  return isOver ? fromWallTime({ ...wall, day: wall.day + 7 }, timeZone) : at
}

function daysUntil(name: string, hasTime: boolean, today: number): number | undefined {
  if (name === 'tomorrow') return 1
  if (name === 'today' || name === 'tonight') return hasTime ? 0 : undefined
  const wanted = WEEKDAYS.findIndex((day) => day === name || (hasTime && day.slice(0, 3) === name))
  return wanted === -1 ? undefined : (wanted - today + 7) % 7
}

function numbers<K extends string>(texts: Record<K, string | number | undefined>): Record<K, number> {
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
