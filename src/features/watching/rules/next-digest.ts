import { fromWallTime, toWallTime } from '../../../domain/zoned-time.ts'
import type { DigestSettings } from './watch.ts'

/**
 * When the next daily summary is due, always later than `now`. On a day when daylight saving time skips the hour, it is due after
 * the change. On a day that has the hour twice, it is due the first time.
 */
export function findNextDigest({ hour, timeZone }: DigestSettings, now: Date): Date {
  const today = toWallTime(now, timeZone)
  for (let ahead = 0; ; ahead += 1) {
    const at = fromWallTime({ ...today, day: today.day + ahead, hour, minute: 0 }, timeZone)
    if (at > now) return at
  }
}
