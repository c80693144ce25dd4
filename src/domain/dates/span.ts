import { BadDate } from './bad-date.ts'
import { readMoment } from './moment.ts'
import { findDay, readWallText, toMoment } from './wall-text.ts'
import { formatMoment, isBefore, type Zoned } from './zoned.ts'

/** From one clock time to another. Its end is a clock time, so that it is right on the nights when the clocks change. */
export interface Span {
  readonly start: Zoned
  readonly end: Zoned
}

const CLOCK = String.raw`(\d{1,2})(?::(\d{2}))? ?([ap]\.?m\b\.?)?`
const SEPARATOR = String.raw` ?(?:-|to\b|until\b|till\b) ?`
/** `Sunday 2-4 am`: the day is before or after both times. */
const TWO_TIMES = new RegExp(
  `^(?:(?<day>\\S.*?),? )??(?:from )?(?<a>${CLOCK})${SEPARATOR}(?<b>${CLOCK})(?:,? (?:on )?(?<dayAfter>\\D.*|\\d+\\D.+|\\d{4}-\\d{2}-\\d{2}))?$`,
  'i',
)
const TWO_MOMENTS = /^(?:from )?(?<from>.+?) (?:-|to|until|till) (?<to>.+)$/i
const LONGEST = 130

/**
 * Reads `Sunday 2-4 am`, `tomorrow 22:00 to 1:30`, `between 22:00 and 23:00`, `22:00-24:00`, or `Friday 18:00 to Monday 8:00`. Undefined if it isn't a span;
 * `2-4` alone isn't one, because it may be part of a name. Throws BadDate.
 */
export function readSpan(typed: string, now: Zoned): Span | undefined {
  const text = typed.trim().replace(/^between (.+) and (.+)$/i, 'from $1 to $2')
  if (text.length > LONGEST) return undefined
  return readTwoTimes(text, now) ?? readTwoMoments(text, now)
}

function readTwoTimes(text: string, now: Zoned): Span | undefined {
  const { day, dayAfter, a = '', b = '' } = TWO_TIMES.exec(text)?.groups ?? {}
  if (a === '' || (day !== undefined && dayAfter !== undefined)) return undefined
  const [from, to] = [splitClock(a), splitClock(b)]
  const named = day ?? dayAfter ?? ''
  if (named === '' && !from.half && !to.half && !(from.minute && to.minute))
    return refuseBareHours(text, from, to)
  const [fromHalf, toHalf] = findHalves(from, to)
  const start = readMoment(`${named} ${clock(from, fromHalf)}`.trim(), now, { isMarked: true })
  if (!start || start === 'now') return undefined
  const span = finish(start, clock(to, toHalf), now)
  if (span && dayAfter !== undefined && !span.end.toPlainDate().equals(span.start.toPlainDate()))
    throw createNightError(text, span)
  return span
}

/** `22:00-2:00 on Sunday` can begin or end on that day. */
function createNightError(text: string, { start, end }: Span): BadDate {
  const readings = [
    { start: start.subtract({ days: 1 }), end: end.subtract({ days: 1 }) },
    { start, end },
  ]
  const offers = readings.map((span) => `${formatMoment(span.start)} to ${formatMoment(span.end)}`)
  return new BadDate(`“${text}” can mean ${offers.join(', or ')}.`, text, offers)
}

/** `from 2 to 4` is at night for some and in the afternoon for others. `2-4` may be part of a name. Throws BadDate. */
function refuseBareHours(text: string, from: Clock, to: Clock): undefined {
  const [first, last] = [from.hour, to.hour].map(Number) as [number, number]
  if (!/^from /i.test(text) || from.minute || to.minute || first > 24 || last > 24) return undefined
  const isTwelveHour = first >= 1 && last <= 12 && first < last
  const offers = (isTwelveHour ? [0, 12] : [0]).map((more) => `${first + more}:00 to ${last + more}:00`)
  throw new BadDate(`“${text}” can mean ${offers.join(' or ')}. Type the times.`, text, offers)
}

interface Clock {
  readonly hour: string
  readonly minute: string | undefined
  readonly half: 'am' | 'pm' | undefined
}

function splitClock(text: string): Clock {
  const [, hour = '', minute, half] = new RegExp(`^${CLOCK}$`, 'i').exec(text) ?? []
  return { hour, minute, half: half === undefined ? undefined : /^p/i.test(half) ? 'pm' : 'am' }
}

const clock = ({ hour, minute = '00' }: Clock, half = ''): string => `${hour}:${minute}${half}`

/** In `2-4 am`, both are am; in `10-2 pm`, the first is am; in `2pm-4`, both are pm. */
function findHalves(from: Clock, to: Clock): readonly [Clock['half'], Clock['half']] {
  const isTwelveHour = (clock: Clock): boolean => Number(clock.hour) >= 1 && Number(clock.hour) <= 12
  const isAscending = Number(from.hour) % 12 <= Number(to.hour) % 12
  const other = (half: 'am' | 'pm') => (half === 'am' ? 'pm' : 'am')
  if (to.half && !from.half && isTwelveHour(from)) return [isAscending ? to.half : other(to.half), to.half]
  if (from.half && !to.half && isTwelveHour(to))
    return [from.half, isAscending ? from.half : other(from.half)]
  return [from.half, to.half]
}

function readTwoMoments(text: string, now: Zoned): Span | undefined {
  const { from = '', to = '' } = TWO_MOMENTS.exec(text)?.groups ?? {}
  if (!readWallText(from, now)?.time || !readWallText(to, now)?.time) return undefined
  const start = readMoment(from, now, { isMarked: true })
  return start && start !== 'now' ? finish(start, to, now) : undefined
}

/** The first moment after the start that has the clock time, and the day if there is one. */
function finish(start: Zoned, endText: string, now: Zoned): Span | undefined {
  const wall = readWallText(endText, now)
  if (!wall) return undefined
  // `Monday` is the first one after the start, but `next Monday` is counted from today.
  const day = findDay(wall, /^next$/i.test(wall.groups.which ?? '') ? now : start, { isPast: false })
  const end = toMoment(wall, day ?? start.withTimeZone(wall.timeZone).toPlainDate())
  if (isBefore(start, end)) return { start, end }
  if (day && wall.groups.weekday === undefined) return undefined
  return { start, end: toMoment(wall, (day ?? end.toPlainDate()).add({ days: day ? 7 : 1 })) }
}
