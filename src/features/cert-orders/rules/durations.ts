import { DAY_MS } from '@signalman/runtime'

/**
 * How many days a public authority may issue a certificate for, by the day of issue: CA/Browser Forum ballot SC-081v3. Newest first.
 */
const LONGEST_PUBLIC: readonly (readonly [from: string, days: number])[] = [
  ['2029-03-15', 47],
  ['2027-03-15', 100],
  ['2026-03-15', 200],
  ['2020-09-01', 398],
]
const BEFORE = 825

export const findLongestPublicDays = (at: Date): number =>
  LONGEST_PUBLIC.find(([from]) => at.toISOString() >= from)?.[1] ?? BEFORE

const UNITS: Readonly<Record<string, number>> = {
  ...{ day: 1, days: 1, week: 7, weeks: 7 },
  ...{ month: 31, months: 31, year: 366, years: 366 },
}

/** The days in `1 year` or `90 days`, counting the longest months and years. The service accepts free text, which is undefined. */
export function parseDays(duration: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5}) ([a-z]+)$/i.exec(duration.trim()) ?? []
  const days = Object.hasOwn(UNITS, unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : undefined
  return days === undefined || Number(count) === 0 ? undefined : Number(count) * days
}

/** When a certificate that was ordered for this long at this time ends, if one was issued. Undefined if that can't be read. */
export function guessEnd(duration: string, orderedAt: Date): Date | undefined {
  const days = parseDays(duration)
  return days === undefined
    ? undefined
    : new Date(orderedAt.getTime() + Math.min(days, findLongestPublicDays(orderedAt)) * DAY_MS)
}
