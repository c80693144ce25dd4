// This folder reads the dates, times, and periods that people type.

import { BadDate } from './bad-date.ts'
import { isBefore, Temporal, type Zoned } from './zoned.ts'

/** The error for a time in the past, where only a future one makes sense. */
export const TIME_PASSED = 'That time has passed. Type one in the future.'

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DAY = String.raw`(?<word>today|tonight|tomorrow|yesterday)|(?<weekday>mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)|(?<date>\d{4}-\d{2}-\d{2})`
const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::\d{2}(?:\.\d+)?)?)? ?(?<half>[ap]m)?`
const ZONE = String.raw` ?(?<offset>Z|\+\d{2}:\d{2}|-(?!1[3-9]|2[0-3])\d{2}:\d{2})?`
const MOMENT = new RegExp(
  `^(?:until |from |at |on )?(?:(?:${DAY})(?:(?: | at |T)${TIME}${ZONE})?|${TIME} (?:on )?(?:${DAY})|${TIME})$`,
  'i',
)

/** Only alone: `tomorrow midnight` may be where tomorrow begins, or where it ends. */
const NAMED_TIME = /^(until |from |at )?(midnight|noon)$/i

/** The first hour of a night. */
const EVENING = 17
/** The time of a day without one. */
const DEFAULT_TIME = Temporal.PlainTime.from('09:00')

interface WallTime {
  /** Undefined for a time of day alone. */
  readonly day: Temporal.PlainDate | undefined
  readonly time: Temporal.PlainTime | undefined
  readonly isWeekday: boolean
  readonly offset: string | undefined
}

/** Splits a typed day and time. A weekday is the next one, or today. Undefined if it isn't one. Throws BadDate for `25:00`. */
export function parseWallTime(typed: string, now: Zoned): WallTime | undefined {
  const named = typed
    .trim()
    .replace(NAMED_TIME, (_, before = '', name) => `${before}${/^m/i.test(name) ? '0:00' : '12:00'}`)
  const groups = typed.length > 60 ? undefined : MOMENT.exec(named)?.groups
  if (!groups) return undefined
  const { word, weekday, date, hour, minute, half, offset } = groups
  // A number alone is no time: `5` is in the morning for some and in the afternoon for others.
  if (hour !== undefined && minute === undefined && half === undefined) return undefined
  // `tonight 22:00-08:00` is a time range.
  if (offset !== undefined && date === undefined) return undefined
  // Nobody knows when `tonight` is by itself, or whether `tonight 9:00` is in the evening.
  const isEvening = Number(hour) >= EVENING || /^p/i.test(half ?? '')
  if (word?.toLowerCase() === 'tonight' && !isEvening) return undefined
  return {
    day: parseDay({ word, weekday, date }, now),
    time: hour === undefined ? undefined : parseTime(Number(hour), Number(minute ?? 0), half, typed),
    isWeekday: weekday !== undefined,
    offset,
  }
}

/**
 * Parses a moment in the person's zone, the next one that fits: `18:00`, `midnight`, `tomorrow`, `Friday 9:00`, `9:00 Friday`, `2026-12-01 22:00`, or `now`. A day
 * without a time is at 9:00. Undefined if it isn't a moment. Throws BadDate.
 */
export function parseMoment(typed: string, now: Zoned): Zoned | 'now' | undefined {
  if (/^now$/i.test(typed.trim())) return 'now'
  const wall = parseWallTime(typed, now)
  if (!wall) return undefined
  const { day = now.toPlainDate(), time = DEFAULT_TIME, isWeekday, offset } = wall
  // Where the clocks go back, a time comes twice.
  const findNext = (on: Temporal.PlainDate): Zoned => {
    const first = toZonedTime(on, time, wall, now)
    return isBefore(now, first) ? first : toZonedTime(on, time, wall, now, 'later')
  }
  const isOver = !isBefore(now, findNext(day))
  const isNext = isOver && (wall.day === undefined || isWeekday)
  const date = isNext ? day.add({ days: isWeekday ? 7 : 1 }) : day
  const at = findNext(date)
  if (offset !== undefined || at.toPlainTime().equals(time)) return at
  throw new BadDate(
    `There is no ${time.toString({ smallestUnit: 'minute' })} on ${date}: the clocks skip it.`,
  )
}

export function toZonedTime(
  day: Temporal.PlainDate,
  time: Temporal.PlainTime,
  { offset }: Pick<WallTime, 'offset'>,
  now: Zoned,
  disambiguation: 'compatible' | 'later' = 'compatible',
): Zoned {
  if (offset === undefined)
    return day.toPlainDateTime(time).toZonedDateTime(now.timeZoneId, { disambiguation })
  try {
    return Temporal.Instant.from(`${day}T${time}${offset}`).toZonedDateTimeISO(now.timeZoneId)
  } catch {
    throw new BadDate(`No time zone has the offset ${offset}.`)
  }
}

function parseTime(
  hour: number,
  minute: number,
  half: string | undefined,
  typed: string,
): Temporal.PlainTime {
  const isPossible = minute < 60 && (half ? hour >= 1 && hour <= 12 : hour < 24)
  if (!isPossible) throw new BadDate(`There is no ${typed}.`)
  return new Temporal.PlainTime(half ? (hour % 12) + (/^p/i.test(half) ? 12 : 0) : hour, minute)
}

function parseDay(
  { word, weekday, date }: Readonly<Record<'word' | 'weekday' | 'date', string | undefined>>,
  now: Zoned,
): Temporal.PlainDate | undefined {
  const today = now.toPlainDate()
  if (word !== undefined)
    return today.add({ days: { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 }[word.toLowerCase()] ?? 0 })
  if (weekday !== undefined) {
    const wanted = WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase()) + 1
    return today.add({ days: (wanted - today.dayOfWeek + 7) % 7 })
  }
  if (date === undefined) return undefined
  try {
    return Temporal.PlainDate.from(date, { overflow: 'reject' })
  } catch {
    throw new BadDate(`There is no ${date}.`)
  }
}
