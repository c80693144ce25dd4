import type { Zoned } from '../../../src/domain/dates/zoned.ts'

/**
 * `2026-12-01 22:00`, which `parseMoment` reads back in the same zone. An hour that the clocks repeat has its offset:
 * `2026-10-25 02:30+01:00`.
 */
export function formatMoment(at: Zoned): string {
  const wall = at.toPlainDateTime()
  const text = wall.toString({ smallestUnit: 'minute' }).replace('T', ' ')
  // Of a repeated hour, the first is the one that is meant without an offset.
  return wall.toZonedDateTime(at.timeZoneId).offset === at.offset ? text : `${text}${at.offset}`
}
