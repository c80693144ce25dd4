import { BadDate } from './bad-date.ts'
import { readMoment } from './moment.ts'
import { findDay, readWallText, takeZone, toMoment } from './wall-text.ts'
import { formatMoment, isBefore, type Zoned } from './zoned.ts'

/** From one clock time to another. Its end is a clock time, so that it is right on the nights when the clocks change. */
export interface Span {
  readonly start: Zoned
  readonly end: Zoned
}

const CLOCK = String.raw`(\d{1,2})(?::(\d{2}))?(?: ?([ap]\.?m\b\.?))?`
const JOINT = String.raw` ?(?:-|to\b|until\b|till\b) ?`
const FROM_TO = `(?:from )?(?<times>(?<a>${CLOCK})(?<joint>${JOINT})(?<b>${CLOCK}))`
const BETWEEN = `between (?<times>(?<a>${CLOCK})(?<joint> and )(?<b>${CLOCK}))`
/** `Sunday 2-4 am`: the day is before or after both times. */
const TWO_TIMES = new RegExp(
  `^(?:(?<day>\\S.*?),? )??(?:${FROM_TO}|${BETWEEN})(?:,? (?:on )?(?<dayAfter>\\D.*|\\d+\\D.+|\\d{4}-\\d{2}-\\d{2}))?$`,
  'i',
)
const TWO_MOMENTS = /^(?:from )?(?<from>.+?) (?:-|to|until|till) (?<to>.+)$/i
const BETWEEN_MOMENTS = /^between (?<from>.+) and (?<to>.+)$/i
const LONGEST = 130

/**
 * Reads `Sunday 2-4 am`, `tomorrow 22:00 to 1:30`, `between 22:00 and 23:00`, `22:00-24:00`, or `Friday 18:00 to Monday 8:00`. Undefined if it isn't a span;
 * `2-4` alone isn't one, because it may be part of a name. Throws BadDate.
 */
export function readSpan(typed: string, now: Zoned): Span | undefined {
  if (typed.length > LONGEST) return undefined
  const { text, now: there } = takeZone(typed.trim(), now)
  const span = readTwoTimes(text, there) ?? readTwoMoments(text, there)
  if (!span) return undefined
  const [start, end] = [span.start, span.end].map((at) => at.withTimeZone(now.timeZoneId)) as [Zoned, Zoned]
  if (isNightBeforeDay(text, span)) throw createNightError(typed.trim(), { start, end })
  return { start, end }
}

function readTwoTimes(text: string, now: Zoned): Span | undefined {
  const { day, dayAfter, times = '', joint = '', a = '', b = '' } = TWO_TIMES.exec(text)?.groups ?? {}
  if (times === '' || (day !== undefined && dayAfter !== undefined)) return undefined
  const clocks = { times, joint, from: splitClock(a), to: splitClock(b) }
  const named = day ?? dayAfter ?? ''
  // `2-4` may be part of a name, but `from 2 to 4` hardly.
  if (named === '' && areBare(clocks))
    return /^(?:from|between) /i.test(text) ? refuseBareHours(clocks) : undefined
  refuseMorning(named, clocks)
  const [fromHalf, toHalf] = findHalves(clocks.from, clocks.to)
  const start = readMoment(`${named} ${clock(clocks.from, fromHalf)}`.trim(), now, { isMarked: true })
  if (!start || start === 'now') return undefined
  refuseDescending(clocks)
  return finish(start, clock(clocks.to, toHalf), now)
}

/** Whether a day follows the times of a night. */
const isNightBeforeDay = (text: string, { start, end }: Span): boolean =>
  TWO_TIMES.exec(text)?.groups?.dayAfter !== undefined && !end.toPlainDate().equals(start.toPlainDate())

/** `22:00-2:00 on Sunday` can begin or end on that day. */
function createNightError(text: string, { start, end }: Span): BadDate {
  const readings = [
    { start: start.subtract({ days: 1 }), end: end.subtract({ days: 1 }) },
    { start, end },
  ]
  const offers = readings.map((span) => `${formatMoment(span.start)} to ${formatMoment(span.end)}`)
  return new BadDate(`“${text}” can mean ${offers.join(', or ')}.`, text, offers)
}

/** Two clock times as typed: `9 to 5`. */
interface Clocks {
  readonly times: string
  readonly joint: string
  readonly from: Clock
  readonly to: Clock
}

/** Whether neither says which half of the day it is in, and at most one has minutes. `9:00-5:00` has clock times. */
const areBare = ({ from, to }: Clocks): boolean => !from.half && !to.half && !(from.minute && to.minute)

const isTwelveHour = ({ hour }: Clock): boolean => Number(hour) >= 1 && Number(hour) <= 12
const areTwelveHour = ({ from, to }: Clocks): boolean => isTwelveHour(from) && isTwelveHour(to)
const minutesOf = ({ hour, minute = '0' }: Clock): number => Number(hour) * 60 + Number(minute)

/** `from 2 to 4` is at night for some and in the afternoon for others. Throws BadDate. */
function refuseBareHours(clocks: Clocks): undefined {
  const { from, to } = clocks
  if (from.minute || to.minute || Number(from.hour) > 24 || Number(to.hour) > 24) return undefined
  throw createHoursError(clocks)
}

/** `Monday 9 to 5` is a day of work, and nobody plans 20 hours like that. Throws BadDate. */
function refuseDescending(clocks: Clocks): void {
  const isDescending = minutesOf(clocks.to) <= minutesOf(clocks.from)
  if (isDescending && areBare(clocks) && areTwelveHour(clocks)) throw createHoursError(clocks)
}

const FIRST_EVENING_HOUR = 5

/** `tonight 8-10` and `tonight 8:00 to 10:00` are hardly in the morning. Throws BadDate. */
function refuseMorning(day: string, clocks: Clocks): void {
  const { from, to } = clocks
  if (!/^tonight$/i.test(day) || from.half || to.half || !areTwelveHour(clocks)) return
  if (Number(from.hour) < FIRST_EVENING_HOUR) return
  throw createHoursError(clocks, ({ hour }) => {
    return Number(hour) < FIRST_EVENING_HOUR || Number(hour) >= FIRST_EVENING_HOUR + 12
  })
}

/** Offers the times that are meant, with the hours of a day. `canStart` says which ones can be meant. */
function createHoursError(
  { times, joint, ...clocks }: Clocks,
  canStart: (start: Clock) => boolean = () => true,
): BadDate {
  const offers = listTimes(clocks)
    .filter(({ from }) => canStart(from))
    .map(({ from, to }) => `${clock(from)}${joint}${clock(to)}`)
  const problem =
    offers.length === 1
      ? `isn’t clear. Did you mean ${offers[0]}?`
      : `can mean ${offers.join(' or ')}. Type the times.`
  return new BadDate(`“${times}” ${problem}`, times, offers)
}

/** The times that hours from 1 to 12 can mean. The end is the first one after the start: `9 to 5` is from 9:00 to 17:00, or 21:00 to 5:00. */
function listTimes({ from, to }: Pick<Clocks, 'from' | 'to'>): { from: Clock; to: Clock }[] {
  if (!isTwelveHour(from) || !isTwelveHour(to)) return [{ from, to }]
  const hour = Number(from.hour)
  return (hour === 12 ? [12, 0] : [hour, hour + 12]).map((startHour) => {
    const start = { ...from, hour: String(startHour) }
    const ends = [0, 12, 24].map((more) => ({ ...to, hour: String((Number(to.hour) % 12) + more) }))
    const end = ends.find((later) => minutesOf(later) > minutesOf(start)) ?? to
    return { from: start, to: { ...end, hour: String(Number(end.hour) % 24) } }
  })
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
  const isAscending = Number(from.hour) % 12 <= Number(to.hour) % 12
  const other = (half: 'am' | 'pm') => (half === 'am' ? 'pm' : 'am')
  if (to.half && !from.half && isTwelveHour(from)) return [isAscending ? to.half : other(to.half), to.half]
  if (from.half && !to.half && isTwelveHour(to))
    return [from.half, isAscending ? from.half : other(from.half)]
  return [from.half, to.half]
}

function readTwoMoments(text: string, now: Zoned): Span | undefined {
  const { from = '', to = '' } = (BETWEEN_MOMENTS.exec(text) ?? TWO_MOMENTS.exec(text))?.groups ?? {}
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
