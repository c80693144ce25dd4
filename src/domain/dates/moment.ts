import { BadDate } from './bad-date.ts'
import { readDurationParts } from './duration.ts'
import {
  DEFAULT_TIME,
  findDay,
  hasShortWeekday,
  isBareFraction,
  isShortTime,
  readWallText,
  toMoment,
  type WallText,
} from './wall-text.ts'
import { isBefore, Temporal, type Zoned } from './zoned.ts'

/** The error for a time in the past, where only a future one makes sense. */
export const TIME_PASSED = 'That time has passed. Type one in the future.'

/**
 * Reads a moment in the person's zone, the next one that fits: `2026-12-25 18:00`, `25 Dec`, `9am tomorrow`, `Monday`, `in 2 hours`,
 * or `now`. Without a time, it's 9:00. Undefined if it isn't a moment. `isMarked`: after a word such as `until`, where `Mon` can't be
 * part of a name. Throws BadDate.
 */
export function readMoment(typed: string, now: Zoned, { isMarked = false } = {}): Zoned | 'now' | undefined {
  const text = typed.trim()
  if (/^(?:right )?now$/i.test(text)) return 'now'
  const ahead = readAhead(text, now)
  if (ahead) return ahead
  if (isMarked) refuseVagueEnd(text)
  if (isMarked) refuseBareHour(text, now)
  const wall = readWallText(text, now)
  if (!wall || !isWholeMoment(wall, isMarked)) return undefined
  const day = findDay(wall, now, { isPast: false })
  const at = day ? toMoment(wall, day) : findNextTime(wall, now)
  return moveAhead(at, wall, now)
}

/** `today` has no time. */
const isWholeMoment = (wall: WallText, isMarked: boolean): boolean =>
  (isMarked || !mayBeName(wall)) && (wall.time !== undefined || !/^today$/i.test(wall.groups.word ?? ''))

/** `Mon`, `1/2`, and `6p` may be part of a name, and a day in the past isn’t meant. */
const mayBeName = (wall: WallText): boolean =>
  isShortTime(wall) ||
  /^yesterday$/i.test(wall.groups.word ?? '') ||
  /^before/i.test(wall.groups.beyond ?? '') ||
  (wall.time === undefined && (hasShortWeekday(wall) || isBareFraction(wall)))

/** The next moment with this time of day. */
function findNextTime(wall: WallText, now: Zoned): Zoned {
  const today = now.withTimeZone(wall.timeZone).toPlainDate()
  const at = toMoment(wall, today)
  return isBefore(now, at) ? at : toMoment(wall, today.add({ days: 1 }))
}

/** Today's weekday means today only with a time that is still ahead. The early hours of `tonight` are tomorrow's. */
function moveAhead(at: Zoned, wall: WallText, now: Zoned): Zoned {
  const { groups, time, isEndOfDay } = wall
  const { weekday, word, which } = groups
  if (/^tonight$/i.test(word ?? '')) {
    refuseMorning(wall)
    if (!time) return at.withPlainTime('18:00')
    return time.hour < 12 && !isEndOfDay && isBefore(at, now) ? at.add({ days: 1 }) : at
  }
  if (weekday === undefined || which !== undefined) return at
  const isToday = !time && at.toPlainDate().equals(now.toPlainDate())
  return isToday || !isBefore(now, at) ? at.add({ days: 7 }) : at
}

/** `tonight 8:00` is in the evening for some, and nobody's night is in the morning. Throws BadDate. */
function refuseMorning({ typed, time, groups: { hour = '', half } }: WallText): void {
  if (!time || hour === '' || half || time.hour < 5 || time.hour >= 12) return
  const offers = [typed.replace(hour, String(time.hour + 12)), typed.replace(/tonight/i, 'tomorrow')]
  throw new BadDate(`“${typed}” can mean ${offers.join(' or ')}. Type the time.`, typed, offers)
}

const END_OF =
  /^(?:(?<day>.+) )??(?:the )?(?:eod|cob|end of (?:the )?day|close of business)(?: (?:on )?(?<dayAfter>.+))?$/i
const END_OF_WEEK = /^(?:the )?(?:eow|end of (?:the |this )?week)$/i

/** `end of day` is midnight for some and the end of office hours for others. Throws BadDate. */
function refuseVagueEnd(typed: string): void {
  const { day, dayAfter } = END_OF.exec(typed)?.groups ?? {}
  const offers = END_OF_WEEK.test(typed)
    ? ['Friday 18:00', 'Sunday 24:00']
    : END_OF.test(typed)
      ? ['18:00', '24:00'].map((time) => `${day ?? dayAfter ?? ''} ${time}`.trim())
      : []
  if (offers.length > 0)
    throw new BadDate(`“${typed}” can mean ${offers.join(' or ')}. Type the time.`, typed, offers)
}

const BARE_HOUR = /^(?:(?<day>.+?),? (?:at |from )|(?:at |from ))?(?<hour>\d{1,2})$/i

/** `until 5` is in the morning for some and in the afternoon for others. Throws BadDate. */
function refuseBareHour(typed: string, now: Zoned): void {
  const { day = '', hour = '' } = BARE_HOUR.exec(typed)?.groups ?? {}
  const number = Number(hour)
  if (hour === '' || number < 1 || number > 23) return
  if (day !== '' && readWallText(day, now)?.time !== undefined) return
  if (day !== '' && readWallText(day, now) === undefined) return
  const offers = listHours(day, number)
  throw new BadDate(
    offers.length > 1
      ? `“${typed}” can mean ${offers.join(' or ')}. Type the time.`
      : `“${typed}” isn’t a time. Did you mean ${offers[0]}?`,
    typed,
    offers,
  )
}

function listHours(day: string, hour: number): string[] {
  const isTonight = /^tonight$/i.test(day)
  if (isTonight && hour >= 5 && hour < 12) return [`${day} ${hour + 12}:00`, `tomorrow ${hour}:00`]
  if (isTonight && hour <= 12) return [`${day} ${hour % 12}:00`]
  const hours = hour <= 12 ? [hour, (hour + 12) % 24] : [hour]
  return hours.map((at) => `${day} ${at}:00`.trim())
}

const AHEAD = /^(?:in (?<in>.+)|(?<from>.+) from now)$/i
const NEXT_UNIT = /^next (?<unit>week|month)$/i

/** Reads `in 2 hours`, `3 days from now`, or `next week`. Days are calendar days: `in 2 days` is at the same time of day. */
function readAhead(text: string, now: Zoned): Zoned | undefined {
  const unit = NEXT_UNIT.exec(text)?.groups?.unit?.toLowerCase()
  if (unit === 'week') return atNine(now.add({ days: 8 - now.dayOfWeek }))
  if (unit === 'month') return atNine(now.add({ months: 1 }).with({ day: 1 }))
  const groups = AHEAD.exec(text)?.groups
  const parts = readDurationParts(groups?.in ?? groups?.from ?? '')
  if (!parts) return undefined
  return addParts(now, parts, 1)
}

const atNine = (at: Zoned): Zoned => at.withPlainTime(DEFAULT_TIME)

/** Adds calendar days and weeks, then hours and minutes. A fraction of a day counts as hours. */
export function addParts(at: Zoned, parts: ReadonlyMap<'m' | 'h' | 'd' | 'w', number>, sign: 1 | -1): Zoned {
  const [weeks, days, hours, minutes] = (['w', 'd', 'h', 'm'] as const).map(
    (unit) => sign * (parts.get(unit) ?? 0),
  ) as [number, number, number, number]
  const wholeDays = Math.trunc(weeks * 7 + days)
  const rest = (weeks * 7 + days - wholeDays) * 1440 + hours * 60 + minutes
  return at.add(Temporal.Duration.from({ days: wholeDays })).add({ minutes: Math.round(rest) })
}
