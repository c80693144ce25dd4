import { DAY_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** The date and time on a wall clock. Month and day start at 1. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
}

/** Limited, because each format takes about 25 KB, and few of the 600 zones and thousands of offsets are in use. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

/** The wall time of a moment in an IANA time zone. Throws RangeError for an unknown zone. */
export function toWallTime(at: Date, timeZone: string): WallTime & { weekday: number } {
  const found = new Map(
    dateTimeFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(found.get(name))
  const [year, month, day] = [part('year'), part('month'), part('day')]
  // Starts with Sunday, like Date.
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay()
  return { year, month, day, hour: part('hour'), minute: part('minute'), weekday }
}

/** The name of a zone at a time: `Central European Summer Time (Europe/Paris)`. */
export function zoneName(timeZone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return name === timeZone || timeZone === 'UTC' ? name : `${name} (${timeZone})`
}

/**
 * The moment at which a clock in the zone shows this time. Days past the end of a month carry over. For a time that occurs twice
 * because clocks are set back, returns the first moment. A time that is skipped because clocks are set forward is moved forward by
 * the same amount.
 */
export function fromWallTime({ year, month, day, hour, minute }: WallTime, timeZone: string): Date {
  const asIfUtc = Date.UTC(year, month - 1, day, hour, minute)
  const offsetAt = (ms: number): number => {
    const shown = toWallTime(new Date(ms), timeZone)
    return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) - floorMinute(ms)
  }
  // Offsets are less than a day, so the offset is that of the day before or of the day after.
  const before = offsetAt(asIfUtc - DAY_MS)
  const after = offsetAt(asIfUtc + DAY_MS)
  const candidates = [asIfUtc - before, asIfUtc - after].filter((ms) => offsetAt(ms) === asIfUtc - ms)
  return new Date(candidates.length > 0 ? Math.min(...candidates) : asIfUtc - before)
}

const floorMinute = (ms: number): number => Math.floor(ms / 60_000) * 60_000

/** Whether this machine knows a time zone with this name. */
export function isTimeZone(name: string): boolean {
  try {
    dateTimeFormat(name)
    return true
  } catch {
    return false
  }
}

function dateTimeFormat(timeZone: string): Intl.DateTimeFormat {
  // The names of zones are case-insensitive.
  const name = timeZone.toLowerCase()
  const cached = formats.get(name)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(name, format)
  return format
}
