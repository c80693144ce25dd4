import { fromWallTime, toWallTime } from '../../../domain/zoned-time.ts'
import type { DigestTerms } from './watch.ts'

/**
 * When the next digest is due, always later than `now`: once on every day of the time zone. Where clocks skip the hour, as much
 * later as they are set forward; where they show it twice, the first time.
 */
export function nextDigest({ hour, timeZone }: DigestTerms, now: Date): Date {
  const today = toWallTime(now, timeZone)
  for (let ahead = 0; ; ahead += 1) {
    const at = fromWallTime({ ...today, day: today.day + ahead, hour, minute: 0 }, timeZone)
    if (at > now) return at
  }
}
