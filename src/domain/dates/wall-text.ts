import { BadDate } from './bad-date.ts'
import { Temporal, type Zoned } from './zoned.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
export const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
export const WEEKDAY =
  'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?'
const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const NAMED_TIMES: Readonly<Record<string, number>> = {
  midnight: 0,
  morning: 9,
  noon: 12,
  midday: 12,
  afternoon: 15,
  evening: 18,
}

const HALF = String.raw`(?<half>[ap])\.?m\b\.?`
const CLOCK = String.raw`(?<hour>\d{1,2}) ?o'?clock|(?<hour>\d{1,2})h(?<minute>\d{2})|(?<hour>\d{1,2})(?<half>[ap])`
const SECONDS = String.raw`(?::(?<second>\d{2})(?:\.\d{1,9})?)?`
const TIME = String.raw`(?:(?<hour>\d{1,2}):(?<minute>\d{2})${SECONDS}(?: ?${HALF})?|(?<hour>\d{1,2}) ?${HALF}|${CLOCK}|(?<named>${Object.keys(NAMED_TIMES).join('|')}))`
const NAMED_ZONE = String.raw`z|utc|gmt|[a-z]+(?:\/[a-z_+-]+){1,2}`
/** Some of them are of several zones, and many say summer when they mean winter. */
export const ABBREVIATED_ZONE =
  'a[ce][ds]t|bst|cest|cet|cdt|cst|edt|eest|eet|est|et|hkt|hst|ist|jst|kst|mdt|msk|mst|nzdt|nzst|pdt|pst|pt|sgt'
const ZONE = String.raw`(?: ?(?<zone>[+-]\d{2}:?\d{2}|${NAMED_ZONE}|${ABBREVIATED_ZONE}))?`
/** `Sunday, 29 November`: the weekday has to be that of the date. */
const STATED = String.raw`(?:(?:(?:next|this) )?(?<stated>${WEEKDAY}),? (?:the )?(?=\d|${MONTH}))?`
const DAY = String.raw`(?<date>${STATED}(?:(?<word>today|tonight|tomorrow|yesterday)|(?:the )?day (?<beyond>after tomorrow|before yesterday)|(?<year>\d{4})-(?<monthNumber>\d{2})-(?<day>\d{2})|(?<day>\d{1,2})\.(?<monthNumber>\d{1,2})\.(?<year>\d{4})|(?<slashed>\d{1,2}\/\d{1,2}(?:\/\d{2,4})?)|(?<dotted>\d{1,2}\.\d{1,2})\.?(?!\d)|(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? (?<month>${MONTH})\.?(?:,? (?<year>\d{4}))?|(?<month>${MONTH})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?|(?:(?<which>next|last|this|coming) )?(?<weekday>${WEEKDAY})))`
/** After a day, `1530` is a time. Alone, it may be a port. */
const TIME_AFTER_DAY = String.raw`(?:${TIME}|(?<hour>\d{2})(?<minute>\d{2}))`
const DAY_FIRST = new RegExp(`^(?:on )?${DAY}(?:(?:,? (?:at |from )?|,|t)${TIME_AFTER_DAY}${ZONE})?$`, 'i')
const TIME_FIRST = new RegExp(`^(?:at )?${TIME}${ZONE}(?:,? (?:on )?${DAY})?$`, 'i')
const PART_OF_TODAY = /^this (?=morning|afternoon|evening)/i
const LONGEST = 60

type Groups = Readonly<Record<string, string | undefined>>

/** The words of a typed day and time, before anybody knows whether the past or the future is meant. */
export interface WallText {
  readonly typed: string
  readonly time: Temporal.PlainTime | undefined
  /** `24:00` and `midnight today` are the start of the next day. */
  readonly isEndOfDay: boolean
  /** `morning`, `evening`, …: a time for a moment, but part of a day for a period. */
  readonly partOfDay: string | undefined
  readonly timeZone: string
  /** An offset from UTC, such as `+01:00`. */
  readonly offset: string | undefined
  readonly groups: Groups
}

/**
 * Splits a typed day and time, in either order, into its parts. Undefined if it isn't one. Throws BadDate for a time that doesn't
 * exist, because a caller that tried fewer words would otherwise find part of what was typed.
 */
export function readWallText(text: string, now: Zoned): WallText | undefined {
  const typed = text.trim()
  if (typed === '' || typed.length > LONGEST) return undefined
  const plain = typed.replace(PART_OF_TODAY, 'today ')
  const groups = (DAY_FIRST.exec(plain) ?? TIME_FIRST.exec(plain))?.groups
  if (!groups) return undefined
  const { named, zone: zoneText } = groups
  const zone = readZone(zoneText, now)
  if (!zone) return undefined
  const isMidnightToday =
    /^midnight$/i.test(named ?? '') && /^to/i.test(groups.word ?? '') && groups.word?.length !== 8
  return {
    typed,
    time: readTime(groups, typed),
    isEndOfDay: isMidnightToday || (groups.hour === '24' && groups.minute === '00'),
    partOfDay: /^(?:morning|afternoon|evening)$/i.test(named ?? '') ? named?.toLowerCase() : undefined,
    ...zone,
    groups,
  }
}

function readTime({ hour, minute = '0', second = '0', half, named }: Groups, typed: string) {
  if (named !== undefined) return Temporal.PlainTime.from({ hour: NAMED_TIMES[named.toLowerCase()] ?? 0 })
  if (hour === undefined) return undefined
  const typedHour = Number(hour)
  if (typedHour === 24 && Number(minute) === 0 && Number(second) === 0 && !half)
    return new Temporal.PlainTime()
  const isPossible =
    typedHour < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    (!half || (typedHour >= 1 && typedHour <= 12))
  if (!isPossible) throw new BadDate(`There is no ${typed}.`)
  const hours = half ? (typedHour % 12) + (/p/i.test(half) ? 12 : 0) : typedHour
  return new Temporal.PlainTime(hours, Number(minute), Number(second))
}

const IS_ABBREVIATED = new RegExp(`^(?:${ABBREVIATED_ZONE})$`, 'i')

/** Undefined for an unknown zone: the word is part of something else. Throws BadDate for an abbreviation. */
function readZone(zone: string | undefined, now: Zoned): Pick<WallText, 'timeZone' | 'offset'> | undefined {
  if (zone === undefined) return { timeZone: now.timeZoneId, offset: undefined }
  if (/^(?:z|utc|gmt)$/i.test(zone)) return { timeZone: 'UTC', offset: undefined }
  if (IS_ABBREVIATED.test(zone))
    throw new BadDate(
      `“${zone}” isn’t a time zone that Signalman knows. Type a full name such as Europe/Paris, or an offset such as +01:00. Without one, the time is in your own time zone.`,
    )
  if (/^[+-]/.test(zone)) return { timeZone: now.timeZoneId, offset: zone.replace(/(?<=^.\d{2})(?=\d)/, ':') }
  try {
    return { timeZone: now.withTimeZone(zone).timeZoneId, offset: undefined }
  } catch {
    return undefined
  }
}

const ZONE_OF_TIME = new RegExp(
  String.raw`(?<=\d|\d ?[ap]\.?m\.?) ?(${NAMED_ZONE}|${ABBREVIATED_ZONE})(?=$|-|,? )`,
  'gi',
)

/**
 * Takes the zone out of a text with two times: it's that of both, also if it is written only once. A zone of its own for each stays.
 * Throws BadDate for an abbreviation.
 */
export function takeZone(text: string, now: Zoned): { text: string; now: Zoned } {
  const zones = [...text.matchAll(ZONE_OF_TIME)].map(([, zone = '']) => zone)
  const found = zones.flatMap((zone) => readZone(zone, now)?.timeZone ?? [])
  const [timeZone] = found
  if (timeZone === undefined || found.length < zones.length || new Set(found).size > 1) return { text, now }
  return { text: text.replace(ZONE_OF_TIME, ''), now: now.withTimeZone(timeZone) }
}

/** Whether the text names a day, and in a form that can't be part of a name: `Mon` and `Sat` can. */
export const hasShortWeekday = ({ groups: { weekday, which } }: WallText): boolean =>
  weekday?.length === 3 && !which

/** `1/2` or `1.5` without a year or a time may be part of a name. */
export const isBareFraction = ({ groups: { slashed, dotted }, time }: WallText): boolean =>
  !time && (dotted !== undefined || (slashed !== undefined && /^\d+\/\d+$/.test(slashed)))

/** `6p` and `14h30` without a day may be part of a name, or a duration. */
export const isShortTime = ({ typed, groups }: WallText): boolean =>
  findDayGroup(groups) === undefined && /^\d{1,2}(?:[ap]|h\d{2})$/i.test(typed)

const findDayGroup = ({ word, beyond, slashed, dotted, weekday, day }: Groups): string | undefined =>
  word ?? beyond ?? slashed ?? dotted ?? weekday ?? day

/**
 * The day that the text names, relative to today. Undefined if it names only a time. `isPast` says which of two days is meant if
 * the text has no year or is a weekday: the last one or the next one. Throws BadDate for a day that doesn't exist or that can be
 * read in two ways.
 */
export function findDay(
  text: WallText,
  now: Zoned,
  { isPast }: { isPast: boolean },
): Temporal.PlainDate | undefined {
  const { groups, typed } = text
  const today = now.withTimeZone(text.timeZone).toPlainDate()
  const { word, beyond, slashed, dotted, weekday, stated } = groups
  if (word !== undefined) return today.add({ days: { yesterday: -1, tomorrow: 1 }[word.toLowerCase()] ?? 0 })
  if (beyond !== undefined) return today.add({ days: /^after/i.test(beyond) ? 2 : -2 })
  if (slashed !== undefined) throw createSlashedError(text, slashed, now, isPast)
  if (dotted !== undefined) return readDotted(text, dotted, (day) => findNearestYear(text, day, now, isPast))
  if (weekday !== undefined) return findWeekday(text, today, isPast)
  if (groups.day === undefined) return undefined
  const month = Number(
    groups.monthNumber ?? MONTHS.indexOf((groups.month ?? '').slice(0, 3).toLowerCase()) + 1,
  )
  const day = Number(groups.day)
  const date =
    groups.year === undefined
      ? findNearestYear(text, { month, day }, now, isPast)
      : toPlainDate(Number(groups.year), month, day)
  return requireWeekday(date ?? fail(`There is no ${typed}.`), stated, text)
}

/** Throws BadDate if a date isn't on the weekday that was typed with it. */
function requireWeekday(
  date: Temporal.PlainDate,
  stated: string | undefined,
  { groups: { date: part = '' } }: WallText,
): Temporal.PlainDate {
  if (isOnWeekday(date, stated)) return date
  return fail(`“${part}” names two days: ${date} is a ${WEEKDAY_NAMES[date.dayOfWeek - 1]}.`, part, [
    `${date}`,
    `${stated}`,
  ])
}

const isOnWeekday = ({ dayOfWeek }: Temporal.PlainDate, stated: string | undefined): boolean =>
  stated === undefined || stated.slice(0, 3).toLowerCase() === WEEKDAYS[dayOfWeek - 1]

/** `29.11` is a date, but `5.11` is a date for some and a time for others. */
function readDotted(
  { typed, time, groups: { date: part = '' } }: WallText,
  dotted: string,
  findNearest: (day: { month: number; day: number }) => Temporal.PlainDate | undefined,
): Temporal.PlainDate {
  const [first = 0, second = 0] = dotted.split('.').map(Number)
  const date = findNearest({ month: second, day: first })
  const clock =
    !time && first < 24 && /\.\d\d$/.test(dotted) && second < 60 ? dotted.replace('.', ':') : undefined
  if (date && clock === undefined) return date
  const readings = [...(date ? [`${date}`] : []), ...(clock === undefined ? [] : [clock])]
  if (readings.length === 0) return fail(`There is no ${typed}.`)
  return fail(`“${dotted}” can mean ${readings.join(' or ')}. Type it like that.`, part, readings)
}

function fail(message: string, part = '', offers: readonly string[] = []): never {
  throw new BadDate(message, part, offers)
}

/** Finds the month of `November 2026`, or the last such month. */
export function findMonth(name: string, year: string | undefined, now: Zoned): Temporal.PlainDate {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const latestYear = month <= now.month ? now.year : now.year - 1
  return new Temporal.PlainDate(year === undefined ? latestYear : Number(year), month, 1)
}

function toPlainDate(year: number, month: number, day: number): Temporal.PlainDate | undefined {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' })
  } catch {
    return undefined
  }
}

/** Leap years are at most eight years apart. */
const MAX_YEARS = 8

function findNearestYear(
  { time, timeZone }: WallText,
  { month, day }: { month: number; day: number },
  now: Zoned,
  isPast: boolean,
): Temporal.PlainDate | undefined {
  for (let years = 0; years <= MAX_YEARS; years += 1) {
    const date = toPlainDate(now.year + (isPast ? -years : years), month, day)
    if (!date) continue
    const at = date.toZonedDateTime({ timeZone, plainTime: time ?? (isPast ? '00:00' : DEFAULT_TIME) })
    const order = Temporal.ZonedDateTime.compare(at, now)
    if (isPast ? order <= 0 : order > 0) return date
  }
  return undefined
}

/** The time of a date or day without one. */
export const DEFAULT_TIME = '09:00'

function findWeekday(
  { groups: { weekday = '', which, date: part = '' } }: WallText,
  today: Temporal.PlainDate,
  isPast: boolean,
): Temporal.PlainDate {
  const wanted = WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase()) + 1
  const daysBack = (today.dayOfWeek - wanted + 7) % 7
  const daysAhead = (wanted - today.dayOfWeek + 7) % 7
  if (/^last$/i.test(which ?? '')) return today.subtract({ days: daysBack || 7 })
  // In a period, it isn't over yet, whichever of the two it is.
  if (isPast && /^(?:next|coming)$/i.test(which ?? '')) return today.add({ days: daysAhead || 7 })
  if (isPast) return today.subtract({ days: daysBack })
  if (/^next$/i.test(which ?? '')) {
    // On a Tuesday, “next Friday” is this week’s for some and next week’s for others.
    if (wanted > today.dayOfWeek) throw createNextError(part, today.add({ days: daysAhead }))
    return today.add({ days: daysAhead || 7 })
  }
  return today.add({ days: daysAhead })
}

function createNextError(part: string, day: Temporal.PlainDate): BadDate {
  const days = [day, day.add({ days: 7 })].map(String)
  return new BadDate(`“${part}” can mean ${days.join(' or ')}. Type the date.`, part, days)
}

/** `12/25/2026` is one date, but `03/04/2026` is a day in March for some and in April for others. */
function createSlashedError(text: WallText, slashed: string, now: Zoned, isPast: boolean): BadDate {
  const { groups, typed } = text
  const [first = 0, second = 0, year] = slashed.split('/').map(Number)
  const toDate = (month: number, day: number) =>
    year === undefined
      ? findNearestYear(text, { month, day }, now, isPast)
      : toPlainDate(year < 100 ? 2000 + year : year, month, day)
  const possible = [toDate(second, first), toDate(first, second)].filter((date) => date !== undefined)
  const today = now.withTimeZone(text.timeZone).toPlainDate()
  const isMeant = (date: Temporal.PlainDate): boolean =>
    isPast ? isSameOrBefore(date, today) : isSameOrBefore(today, date)
  const likely = possible.some(isMeant) ? possible.filter(isMeant) : possible
  const onWeekday = likely.filter((date) => isOnWeekday(date, groups.stated))
  const [otherDay] = likely
  if (otherDay && onWeekday.length === 0) requireWeekday(otherDay, groups.stated, text)
  const dates = [...new Set(onWeekday.map(String))]
  if (dates.length === 0) return new BadDate(`There is no ${typed}.`)
  return new BadDate(
    dates.length === 1
      ? `Type ${slashed} as ${dates[0]}, because people write the day and the month in either order.`
      : `${slashed} can mean ${dates.join(' or ')}. Type the date like that.`,
    groups.date,
    dates,
  )
}

const isSameOrBefore = (left: Temporal.PlainDate, right: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(left, right) <= 0

/** The moment with this time on this day. Throws BadDate for an offset that the time doesn't have. */
export function toMoment({ time, isEndOfDay, timeZone, offset }: WallText, day: Temporal.PlainDate): Zoned {
  const plainTime = time ?? Temporal.PlainTime.from(DEFAULT_TIME)
  const wanted = isEndOfDay ? day.add({ days: 1 }) : day
  if (offset === undefined) return wanted.toZonedDateTime({ timeZone, plainTime })
  return Temporal.Instant.from(`${wanted}T${plainTime}${offset}`).toZonedDateTimeISO(timeZone)
}
