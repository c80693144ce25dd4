import { fromWallTime, toWallTime } from '../../../domain/zoned-time.ts'
import type { DigestTerms } from './watch.ts'

/**
 * When the next daily summary is due, always later than `now`. If the clock skips that hour, it moves by the same amount; if
 * the hour occurs twice, the first one counts.
 */
export function nextDigest({ hour, timeZone }: DigestTerms, now: Date): Date {
  const today = toWallTime(now, timeZone)
  for (let ahead = 0; ; ahead += 1) {
    const at = fromWallTime({ ...today, day: today.day + ahead, hour, minute: 0 }, timeZone)
    if (at > now) return at
  }
}
