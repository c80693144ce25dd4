import { BadDate } from './bad-date.ts'
import { parseDurationParts } from './duration.ts'
import { parseWallTime, toZonedTime } from './moment.ts'
import { isBefore, startOfDay, Temporal, toDate, type Zoned } from './zoned.ts'

/** A time in the past. Without an end, it lasts until now. */
interface Period {
  readonly from: Zoned
  readonly to?: Zoned
}

/** How periods are typed, for errors. */
export const PERIOD_EXAMPLES =
  '24h, 7d, yesterday, tonight, since 22:00, this week, last month, Monday, 2026-11-20, 2026-11, or 2026-11-20..2026-11-24'

/**
 * Parses a time in the past, in the person's zone: `24h`, `last 7 days`, `today`, `yesterday`, `last night`, `tonight`, `this week`, `last month`, `Monday`, `2026-11-20`,
 * `2026-11-20 14:05`, `2026-11`, or two of them as `A..B`; `since A`, also a time such as `22:00`, lasts until now. A day counts whole. Undefined if it isn't a period. Throws BadDate.
 */
export function parsePeriod(typed: string, now: Zoned): Period | undefined {
  const text = typed.trim()
  const since = /^since (.+)$/i.exec(text)?.[1]
  const [first = '', second] = (since ?? text).split('..').map((end) => end.trim())
  const from = parseOne(first, now) ?? (since === undefined ? undefined : sinceTime(first, now))
  const to = second === undefined ? from : parseOne(second, now)
  if (!from || !to) return undefined
  const end = to.to ?? (second === undefined ? undefined : to.from)
  return since === undefined && end ? { from: from.from, to: end } : { from: from.from }
}

/** The part of a period that is over. Throws BadDate if it isn’t in the past, or ends before it begins. `typed` is for the message. */
export function toPastDates({ from, to }: Period, now: Zoned, typed: string): { from: Date; to: Date } {
  if (!isBefore(from, now)) throw new BadDate(`“${typed}” isn’t in the past.`)
  if (to && !isBefore(from, to)) throw new BadDate(`“${typed}” ends before it begins.`)
  return { from: toDate(from), to: toDate(to && isBefore(to, now) ? to : now) }
}

function parseOne(text: string, now: Zoned): Period | undefined {
  const parts = parseDurationParts(text.replace(/^(?:the )?(?:last|past) (?=\d)/i, ''))
  if (parts) return { from: subtractParts(now, parts) }
  const [, which, unit] = /^(this|last) (week|month)$/i.exec(text) ?? []
  if (which) return calendarPeriod(/last/i.test(which), /week/i.test(unit ?? ''), now)
  if (/^last night$/i.test(text)) return night(now, { isOver: true })
  if (/^(?:to|over)night$/i.test(text)) return night(now, { isOver: false })
  if (/^\d{4}-\d{2}$/.test(text)) return parseMonth(text, now)
  const wall = parseWallTime(text, now)
  if (!wall?.day) return undefined
  // Monday is the last one.
  const isAhead = Temporal.PlainDate.compare(wall.day, now.toPlainDate()) > 0
  const day = wall.isWeekday && isAhead ? wall.day.subtract({ days: 7 }) : wall.day
  if (wall.time) return { from: toZonedTime(day, wall.time, wall, now) }
  return { from: startOfDay(day, now.timeZoneId), to: startOfDay(day.add({ days: 1 }), now.timeZoneId) }
}

/** From 18:00 of the day before until 6:00; unless it `isOver`, from 18:00 today once it's that late. */
function night(now: Zoned, { isOver }: { isOver: boolean }): Period {
  const today = now.toPlainDate()
  const begins = isOver || now.hour < EVENING ? today.subtract({ days: 1 }) : today
  const toTime = (day: Temporal.PlainDate, hour: number) =>
    day.toZonedDateTime({ timeZone: now.timeZoneId, plainTime: Temporal.PlainTime.from({ hour }) })
  return { from: toTime(begins, EVENING), to: toTime(begins.add({ days: 1 }), MORNING) }
}

const [EVENING, MORNING] = [18, 6]

/** The last `22:00`: today, or else yesterday. */
function sinceTime(text: string, now: Zoned): Period | undefined {
  const wall = parseWallTime(text, now)
  if (!wall?.time) return undefined
  const today = toZonedTime(now.toPlainDate(), wall.time, wall, now)
  if (!isBefore(now, today)) return { from: today }
  return { from: toZonedTime(now.toPlainDate().subtract({ days: 1 }), wall.time, wall, now) }
}

/** This week, from Monday, or this month, or the one before it. */
function calendarPeriod(isLast: boolean, isWeek: boolean, now: Zoned): Period {
  const today = now.toPlainDate()
  const length = isWeek ? { weeks: 1 } : { months: 1 }
  const start = today.subtract({ days: (isWeek ? today.dayOfWeek : today.day) - 1 })
  const from = isLast ? start.subtract(length) : start
  return { from: startOfDay(from, now.timeZoneId), to: startOfDay(from.add(length), now.timeZoneId) }
}

function parseMonth(text: string, now: Zoned): Period {
  try {
    const first = Temporal.PlainDate.from(`${text}-01`, { overflow: 'reject' })
    return {
      from: startOfDay(first, now.timeZoneId),
      to: startOfDay(first.add({ months: 1 }), now.timeZoneId),
    }
  } catch {
    throw new BadDate(`There is no ${text}.`)
  }
}

/** Subtracts calendar days and weeks, then hours and minutes. */
function subtractParts(at: Zoned, parts: NonNullable<ReturnType<typeof parseDurationParts>>): Zoned {
  const days = (parts.get('w') ?? 0) * 7 + (parts.get('d') ?? 0)
  const minutes = (parts.get('h') ?? 0) * 60 + (parts.get('m') ?? 0) + (days % 1) * 1440
  return at.subtract({ days: Math.trunc(days) }).subtract({ minutes: Math.round(minutes) })
}
