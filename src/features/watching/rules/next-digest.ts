import { toDate, toZoned } from '../../../domain/dates/zoned.ts'
import type { DigestSettings } from './watch.ts'

/**
 * When the next daily summary is due, always later than `now`. On a day when daylight saving time skips the hour, it is due after
 * the change. On a day that has the hour twice, it is due the first time.
 */
export function findNextDigest({ hour, timeZone }: DigestSettings, now: Date): Date {
  const today = toZoned(now, timeZone).toPlainDate()
  for (let days = 0; ; days += 1) {
    const at = toDate(today.add({ days }).toZonedDateTime({ timeZone, plainTime: { hour } }))
    if (at > now) return at
  }
}
