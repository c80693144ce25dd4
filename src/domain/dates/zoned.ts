import { DAY_MS } from '@signalman/runtime'
import { Temporal } from 'temporal-polyfill'

export { Temporal }

/** A moment, with the time zone of the person it is for. */
export type Zoned = Temporal.ZonedDateTime

/** Adds a time zone to a moment. Throws RangeError for an unknown zone. */
export const toZoned = (at: Date, timeZone: string): Zoned =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)

/** Whether a zone of someone's profile is known here. Slack may know newer ones. */
export function isTimeZone(timeZone: string): boolean {
  try {
    return toZoned(new Date(0), timeZone) !== undefined
  } catch {
    return false
  }
}

export const toDate = (at: Zoned): Date => new Date(at.epochMilliseconds)

/** The start of a day: usually 0:00, but later where the clocks skip midnight. */
export const startOfDay = (day: Temporal.PlainDate, timeZone: string): Zoned => day.toZonedDateTime(timeZone)

export const isBefore = (left: Zoned, right: Zoned): boolean =>
  Temporal.ZonedDateTime.compare(left, right) < 0

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Nov 24` */
export const formatDay = ({ month, day }: Pick<Zoned, 'month' | 'day'>): string =>
  `${MONTHS[month - 1] ?? ''} ${day}`

/** `Nov 24, 9:05` */
export const formatMoment = (at: Zoned): string =>
  `${formatDay(at)}, ${at.hour}:${String(at.minute).padStart(2, '0')}`

/** How far a zone's clocks are ahead of UTC from one change of its clocks to the next. */
interface Offset extends Readonly<Record<'fromMs' | 'toMs' | 'ms', number>> {}
const offsets = new Map<string, Offset[]>()

/** Asking Temporal takes 12 µs, and windows by calendar need many. There are a few for each zone. */
function readOffset(atMs: number, timeZone: string): number {
  const known = offsets.get(timeZone) ?? []
  const found = known.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)
  if (found) return found.ms
  const at = toZoned(new Date(atMs), timeZone)
  // A millisecond later, because the one before doesn't count a change at this very time.
  const from = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds
  const to = at.getTimeZoneTransition('next')?.epochMilliseconds
  const ms = at.offsetNanoseconds / 1_000_000
  offsets.set(timeZone, [...known, { fromMs: from ?? -Infinity, toMs: to ?? Infinity, ms }])
  return ms
}

/** What clocks in the zone show, as if it were UTC: for calculating with days. */
export const toWallMs = (at: Date, timeZone: string): number =>
  at.getTime() + readOffset(at.getTime(), timeZone)

/** When clocks in the zone show this: the first time if they do twice, and later by what they skip if they skip it. */
export function fromWallMs(wallMs: number, timeZone: string): Date {
  const [before, after] = [-DAY_MS, DAY_MS].map((ms) => wallMs - readOffset(wallMs + ms, timeZone)) as [
    number,
    number,
  ]
  const shows = (ms: number): boolean => ms + readOffset(ms, timeZone) === wallMs
  return new Date(shows(before) || !shows(after) ? before : after)
}
