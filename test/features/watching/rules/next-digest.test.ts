import { describe, expect, it } from 'vitest'
import { toZoned } from '../../../../src/domain/dates/zoned.ts'
import { findNextDigest } from '../../../../src/features/watching/rules/next-digest.ts'

const DAY_MS = 24 * 3_600_000

describe.each([
  // Clocks change on 29 March and 25 October 2026, at 1:00 UTC.
  { timeZone: 'Europe/Paris', hour: 9 },
  // On 8 March and 1 November 2026, at 2:00.
  { timeZone: 'America/New_York', hour: 17 },
  // By half an hour, on 5 April and 4 October 2026, at 2:00.
  { timeZone: 'Australia/Lord_Howe', hour: 8 },
])('a digest at $hour o’clock in $timeZone', ({ timeZone, hour }) => {
  it('is due at that hour on each of the 365 days of a year', () => {
    let at = new Date('2026-01-01T00:00:00Z')
    const days = new Set<string>()
    for (let count = 0; count < 365; count += 1) {
      const next = findNextDigest({ hour, timeZone }, at)
      expect(next.getTime() - at.getTime()).toBeLessThanOrEqual(DAY_MS + 3_600_000)
      const wallTime = toZoned(next, timeZone)
      expect(wallTime).toMatchObject({ hour, minute: 0 })
      days.add(`${wallTime.year}-${wallTime.month}-${wallTime.day}`)
      at = next
    }
    expect(days.size).toBe(365)
  })
})

it.each([
  {
    change: 'skipped',
    timeZone: 'Europe/Paris',
    hour: 2,
    day: '2026-03-28T12:00:00Z',
    dueAt: '2026-03-29T01:00:00.000Z',
  },
  {
    change: 'repeated',
    timeZone: 'Europe/Paris',
    hour: 2,
    day: '2026-10-24T12:00:00Z',
    dueAt: '2026-10-25T00:00:00.000Z',
  },
  {
    change: 'skipped',
    timeZone: 'America/New_York',
    hour: 2,
    day: '2026-03-07T12:00:00Z',
    dueAt: '2026-03-08T07:00:00.000Z',
  },
])(
  'schedules one digest on a day on which its hour is $change in $timeZone',
  ({ timeZone, hour, day, dueAt }) => {
    const next = findNextDigest({ hour, timeZone }, new Date(day))
    expect(next.toISOString()).toBe(dueAt)
    expect(findNextDigest({ hour, timeZone }, next).getTime() - next.getTime()).toBeGreaterThan(
      22 * 3_600_000,
    )
  },
)
