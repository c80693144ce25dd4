import { fromWallTime, toWallTime } from '../../../domain/zoned-time.ts'
import type { DigestSettings } from './watch.ts'

/**
 * When the next daily summary is due, always later than `now`. If a clock change skips that hour, it is sent that much
 * later. If the hour occurs twice, it is sent the first time.
 */
export function findNextDigest({ hour, timeZone }: DigestSettings, now: Date): Date {
  const today = toWallTime(now, timeZone)
  for (let ahead = 0; ; ahead += 1) {
    const at = fromWallTime({ ...today, day: today.day + ahead, hour, minute: 0 }, timeZone)
    if (at > now) return at
  }
}
