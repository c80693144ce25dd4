import { BadDate } from './bad-date.ts'
import { readDurationParts } from './duration.ts'
import { addParts } from './moment.ts'
import {
  findDay,
  findMonth,
  isBareFraction,
  MONTH,
  readWallText,
  takeZone,
  toMoment,
  type WallText,
  WEEKDAY,
} from './wall-text.ts'
import { isBefore, startOfDay, Temporal, toDate, type Zoned } from './zoned.ts'

/** A time in the past. Without an end, it lasts until now. */
export interface Period {
  readonly from: Zoned
  readonly to?: Zoned
}

/**
 * Reads a time in the past, in the person's zone: `today`, `last night`, `last week`, `24h`, `last 7 days`, `since Monday`,
 * `from 9:00 to 11:00`, `yesterday`, `20 Nov`, `Monday`, `in November`. A day counts whole. Undefined if it isn't a period. Throws
 * BadDate. With `isMarked`, it can't be part of a name.
 */
export function readPeriod(typed: string, now: Zoned, marks: Marks = {}): Period | undefined {
  if (typed.length > LONGEST) return undefined
  const text = typed.trim()
  const zone = takeZone(text, now)
  return readRange(zone.text, zone.now) ?? readSince(text, now) ?? readOne(text, now, marks)
}

/** The part of a period that is over. Throws BadDate if it's still to come, or ends before it begins. `typed` is for the message. */
export function toPastDates({ from, to }: Period, now: Zoned, typed: string): { from: Date; to: Date } {
  if (!isBefore(from, now)) throw new BadDate(`“${typed}” is still to come.`)
  if (to && !isBefore(from, to)) throw new BadDate(`“${typed}” ends before it begins.`)
  return { from: toDate(from), to: toDate(to && isBefore(to, now) ? to : now) }
}

const LONGEST = 130
const SINCE = /^(?:since|from|after) (.+)$/i
/** A dash needs spaces, because dates contain dashes. Two weekdays don't. */
const SEPARATOR = / ?\.\. ?| (?:to|until|till|through|-) /i
const WEEKDAY_ALONE = new RegExp(`^(?:on )?(?:${WEEKDAY})\\b`, 'i')
const WEEKDAYS = new RegExp(`^(${WEEKDAY})-(${WEEKDAY})$`, 'i')

function readSince(text: string, now: Zoned): Period | undefined {
  const since = SINCE.exec(text)?.[1]
  const period = since === undefined ? undefined : readOne(since, now, { isMarked: true })
  return period && { from: period.from }
}

/** Whether a period is typed with both ends: `Monday to Wednesday`. */
export const hasTwoEnds = (text: string): boolean =>
  /^between /i.test(text) || WEEKDAYS.test(text) || SEPARATOR.test(text)

function readRange(text: string, now: Zoned): Period | undefined {
  const between = /^between (.+) and (.+)$/i.exec(text) ?? WEEKDAYS.exec(text)
  const separator = SEPARATOR.exec(text)
  if (!between && !separator) return undefined
  const [fromText = '', toText = ''] = between
    ? between.slice(1)
    : [text.slice(0, separator?.index), text.slice((separator?.index ?? 0) + (separator?.[0].length ?? 0))]
  const start = fromText.replace(/^(?:from|since) /i, '')
  const marks = { isMarked: between !== null || start !== fromText }
  const from = readOne(start, now, marks)?.from
  const to = from && readEnd(toText, from, now, marks)
  if (!to) return undefined
  // On a Tuesday, `Monday to Wednesday` is last week’s.
  const isLastWeeks = WEEKDAY_ALONE.test(start) && !isBefore(from, to)
  return { from: isLastWeeks ? from.subtract({ days: 7 }) : from, to }
}

/** The end of a range. A time without a day is the next such time after the start. */
function readEnd(text: string, from: Zoned, now: Zoned, marks: Marks): Zoned | undefined {
  if (/^now$/i.test(text)) return now
  const wall = readWallText(text, now)
  if (wall?.time && !findDay(wall, now, PAST)) {
    const at = toMoment(wall, from.withTimeZone(wall.timeZone).toPlainDate())
    return isBefore(from, at) ? at : at.add({ days: 1 })
  }
  const period = readOne(text, now, marks)
  return period && (isInstant(text, now) ? period.from : (period.to ?? now))
}

const PAST = { isPast: true }

/** After a word such as `since`, `13/11` can't be part of a name. */
interface Marks {
  readonly isMarked?: boolean
}

/** Whether the text names one moment, not a day or another period that has a length. */
const isInstant = (text: string, now: Zoned): boolean =>
  / ago$/i.test(text) || readDurationParts(text) !== undefined || isMoment(readWallText(text, now))

const isMoment = (wall: WallText | undefined): boolean =>
  wall?.time !== undefined && wall.partOfDay === undefined

function readOne(text: string, now: Zoned, marks: Marks = {}): Period | undefined {
  return (
    readNight(text, now) ??
    readWeekend(text, now) ??
    readUnit(text, now) ??
    readLast(text, now) ??
    readMonth(text, now) ??
    readDay(text, now, marks)
  )
}

/** `last night`: from 18:00 yesterday to 9:00 today. */
function readNight(text: string, now: Zoned): Period | undefined {
  if (!/^(?:last night|overnight)$/i.test(text)) return undefined
  const today = now.toPlainDate()
  const at = (day: Temporal.PlainDate, plainTime: string): Zoned =>
    day.toZonedDateTime({ timeZone: now.timeZoneId, plainTime })
  return { from: at(today.subtract({ days: 1 }), '18:00'), to: at(today, '09:00') }
}

/** `over the weekend`: the last Saturday and Sunday that have begun. */
function readWeekend(text: string, now: Zoned): Period | undefined {
  if (!/^(?:(?:on|over|during|at|in) )?(?:the |last |this |past )*weekend$/i.test(text)) return undefined
  const today = now.toPlainDate()
  const saturday = today.subtract({ days: (today.dayOfWeek + 1) % 7 })
  return {
    from: startOfDay(saturday, now.timeZoneId),
    to: startOfDay(saturday.add({ days: 2 }), now.timeZoneId),
  }
}

/** `this week`, `last month`: a week begins on Monday. */
function readUnit(text: string, now: Zoned): Period | undefined {
  const [, which, unit] =
    /^(?:in |during )?(?:the )?(this|last|previous) (week|month|quarter|year)$/i.exec(text.toLowerCase()) ??
    []
  if (unit === undefined) return undefined
  const today = now.toPlainDate()
  const starts = {
    week: today.subtract({ days: today.dayOfWeek - 1 }),
    month: today.with({ day: 1 }),
    quarter: today.with({ month: Math.floor((today.month - 1) / 3) * 3 + 1, day: 1 }),
    year: today.with({ month: 1, day: 1 }),
  }
  const start = starts[unit as keyof typeof starts] // The pattern has no other units.
  const from = startOfDay(start, now.timeZoneId)
  if (which === 'this') return { from }
  const before = unit === 'quarter' ? { months: 3 } : { [`${unit}s`]: 1 }
  return { from: startOfDay(start.subtract(before), now.timeZoneId), to: from }
}

const LAST = /^(?<before>(?:in |for |over |during )?(?:the )?(?:last|past) )?(?<amount>.+?)(?<ago> ago)?$/i

/** `24h`, `last 7 days`, `the past hour`, `3 months ago`: until now. Days are calendar days. */
function readLast(text: string, now: Zoned): Period | undefined {
  const { before, amount = '', ago } = LAST.exec(text)?.groups ?? {}
  const counted = /^(?:hour|day|week|month|year)$/i.test(amount) && before ? `1 ${amount}` : amount
  const [, count, unit = ''] = /^(\d{1,2}|an?|one) (month|year)s?$/i.exec(counted) ?? []
  if (count !== undefined) return { from: now.subtract({ [`${unit.toLowerCase()}s`]: Number(count) || 1 }) }
  const parts = readDurationParts(counted)
  // `a day` alone isn’t a period that people type.
  if (!parts || (!before && !ago && /^(?:an?|one|half) /i.test(amount))) return undefined
  return { from: addParts(now, parts, -1) }
}

const MONTH_ALONE = new RegExp(
  `^(?:(?:in |during )(?<name>${MONTH})|(?:in |during )?(?<name>${MONTH}),? (?<year>\\d{4})|(?<isoYear>\\d{4})-(?<isoMonth>\\d{2}))$`,
  'i',
)

/** `in November`, `November 2026`, or `2026-11`. `March` alone may be a name. */
function readMonth(text: string, now: Zoned): Period | undefined {
  const { name, year, isoYear, isoMonth } = MONTH_ALONE.exec(text)?.groups ?? {}
  if (name === undefined && isoYear === undefined) return undefined
  if (isoMonth !== undefined && !/^(?:0[1-9]|1[0-2])$/.test(isoMonth))
    throw new BadDate(`There is no ${text}.`)
  const month =
    name === undefined
      ? new Temporal.PlainDate(Number(isoYear), Number(isoMonth), 1)
      : findMonth(name, year, now)
  return {
    from: startOfDay(month, now.timeZoneId),
    to: startOfDay(month.add({ months: 1 }), now.timeZoneId),
  }
}

/** The hours of a part of a day. */
const PARTS_OF_DAY: Readonly<Record<string, readonly [from: number, to: number]>> = {
  morning: [6, 12],
  afternoon: [12, 18],
  evening: [18, 24],
}

function readDay(text: string, now: Zoned, { isMarked = false }: Marks): Period | undefined {
  const wall = readWallText(text, now)
  if (!wall || (!isMarked && isBareFraction(wall))) return undefined
  const day = findDay(wall, now, PAST)
  const [fromHour, toHour] = PARTS_OF_DAY[wall.partOfDay ?? ''] ?? []
  if (day && fromHour !== undefined && toHour !== undefined) {
    const start = startOfDay(day, wall.timeZone)
    const to = toHour === 24 ? startOfDay(day.add({ days: 1 }), wall.timeZone) : start.with({ hour: toHour })
    return { from: start.with({ hour: fromHour }), to }
  }
  if (wall.time) return { from: findLatest(wall, day, now) }
  if (!day) return undefined
  const from = startOfDay(day, wall.timeZone)
  if (/^tonight$/i.test(wall.groups.word ?? '')) return { from: from.with({ hour: 18 }) }
  return { from, to: startOfDay(day.add({ days: 1 }), wall.timeZone) }
}

/** A time without a day is the last such time. */
function findLatest(wall: WallText, day: Temporal.PlainDate | undefined, now: Zoned): Zoned {
  if (day) return toMoment(wall, day)
  const today = now.withTimeZone(wall.timeZone).toPlainDate()
  const at = toMoment(wall, today)
  return isBefore(now, at) ? toMoment(wall, today.subtract({ days: 1 })) : at
}
