import { Temporal } from 'temporal-polyfill'

export { Temporal }

/** A moment, with the time zone of the person it is for. */
export type Zoned = Temporal.ZonedDateTime

/** Adds a time zone to a moment. Throws RangeError for an unknown zone. */
export const toZoned = (at: Date, timeZone: string): Zoned =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)

export const toDate = (at: Zoned): Date => new Date(at.epochMilliseconds)

/** The start of a day: usually 0:00, but later where the clocks skip midnight. */
export const startOfDay = (day: Temporal.PlainDate, timeZone: string): Zoned => day.toZonedDateTime(timeZone)

export const isBefore = (left: Zoned, right: Zoned): boolean =>
  Temporal.ZonedDateTime.compare(left, right) < 0

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Nov 24` */
export const formatDay = ({ month, day }: Pick<Zoned, 'month' | 'day'>): string =>
  `${MONTHS[month - 1] ?? ''} ${day}`
