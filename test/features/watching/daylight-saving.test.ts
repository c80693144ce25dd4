import { describe, expect, it } from 'vitest'
import { toZoned } from '../../../src/domain/dates/zoned.ts'
import { MUTE_SLOTS } from '../../../src/features/watching/on-call/commands/mutes.ts'
import {
  type MaintenanceOptions,
  readPlan,
} from '../../../src/features/watching/on-call/parse/maintenance.ts'
import { parseMute } from '../../../src/features/watching/on-call/parse/mute.ts'
import { findNextDigest } from '../../../src/features/watching/rules/next-digest.ts'
import { findNextStart, toFirstStart } from '../../../src/features/watching/rules/silence-windows.ts'
import { readTyped } from '../../read-typed.ts'

interface ClockChange {
  timeZone: string
  change: string
  /** The local hour to test: one that the clocks skip or repeat on that day, or a later one. */
  hour: number
  minute?: number
  /** The UTC times at which that hour is due: on the day before, on that day, and on the day after. */
  days: readonly [string, string, string]
}

/**
 * Worked out by hand. Clocks change at 1:00 UTC in Paris, at 2:00 local time in New York, and by half an hour at 2:00 on Lord
 * Howe.
 */
const CLOCK_CHANGES: readonly ClockChange[] = [
  {
    timeZone: 'Europe/Paris',
    change: 'skips 2:00',
    hour: 2,
    days: ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00'],
  },
  {
    timeZone: 'Europe/Paris',
    change: 'shows 2:00 twice',
    hour: 2,
    days: ['2026-10-24T00:00', '2026-10-25T00:00', '2026-10-26T01:00'],
  },
  {
    timeZone: 'Europe/Paris',
    change: 'shows 9:00 after 25 hours',
    hour: 9,
    days: ['2026-10-24T07:00', '2026-10-25T08:00', '2026-10-26T08:00'],
  },
  {
    timeZone: 'America/New_York',
    change: 'skips 2:00',
    hour: 2,
    days: ['2026-03-07T07:00', '2026-03-08T07:00', '2026-03-09T06:00'],
  },
  {
    timeZone: 'America/New_York',
    change: 'shows 9:00 after 23 hours',
    hour: 9,
    days: ['2026-03-07T14:00', '2026-03-08T13:00', '2026-03-09T13:00'],
  },
  {
    timeZone: 'America/New_York',
    change: 'shows 1:00 twice',
    hour: 1,
    days: ['2026-10-31T05:00', '2026-11-01T05:00', '2026-11-02T06:00'],
  },
  {
    timeZone: 'Australia/Lord_Howe',
    change: 'skips 2:00 to 2:30',
    hour: 2,
    days: ['2026-10-02T15:30', '2026-10-03T15:30', '2026-10-04T15:00'],
  },
  {
    timeZone: 'Australia/Lord_Howe',
    change: 'shows 1:30 twice',
    hour: 1,
    minute: 30,
    days: ['2026-04-03T14:30', '2026-04-04T14:30', '2026-04-05T15:00'],
  },
]

const utc = (text: string): Date => new Date(`${text}:00Z`)
const HOUR_MS = 3_600_000

describe.each(CLOCK_CHANGES)('a day on which $timeZone $change', ({ timeZone, hour, minute = 0, days }) => {
  const [dayBefore, onDay, dayAfter] = days.map(utc) as [Date, Date, Date]
  const time = `${hour}:${String(minute).padStart(2, '0')}`
  /** When the person types the command: half a day before the first time. */
  const typedAt = new Date(dayBefore.getTime() - 12 * HOUR_MS)
  const formatDay = (day: Date): string => {
    return `${toZoned(new Date(day.getTime() + 2 * HOUR_MS), timeZone).toPlainDate()} ${time}`
  }

  it.skipIf(minute > 0)('has one digest', () => {
    for (const [from, next] of [
      [typedAt, dayBefore],
      [dayBefore, onDay],
      [onDay, dayAfter],
    ] as const)
      expect(findNextDigest({ hour, timeZone }, from)).toEqual(next)
  })

  it('ends a mute at the specified time', () => {
    for (const day of [dayBefore, onDay, dayAfter])
      expect(
        parseMute(readTyped(`web-* until ${formatDay(day)}`, { slots: MUTE_SLOTS }), typedAt, timeZone).until,
      ).toEqual(day)
  })

  it('starts one-time, daily, and weekly maintenance at the specified time', () => {
    for (const day of [dayBefore, onDay, dayAfter])
      expect(readPlan({ from: formatDay(day), for: '2h' }, typedAt, { timeZone }).from).toBe(
        day.toISOString(),
      )
    const firstStart = toFirstStart(dayBefore, timeZone)
    for (const every of ['day', 'week'] as const)
      expect(findNextStart({ firstStart, every, timeZone }, new Date(dayBefore.getTime() - 1))).toEqual(
        dayBefore,
      )
    expect(findNextStart({ firstStart, every: 'day', timeZone }, dayBefore)).toEqual(onDay)
    expect(findNextStart({ firstStart, every: 'day', timeZone }, onDay)).toEqual(dayAfter)
    const weekBefore = toFirstStart(new Date(dayBefore.getTime() - 6 * 24 * HOUR_MS), timeZone)
    expect(findNextStart({ firstStart: weekBefore, every: 'week', timeZone }, dayBefore)).toEqual(onDay)
  })
})

describe('maintenance that is typed with its end', () => {
  const zone = 'Europe/Berlin'
  const plan = (options: MaintenanceOptions, now = '2026-03-28T12:00:00Z') =>
    readPlan(options, new Date(now), { timeZone: zone })

  it.each([
    { for: 'until 4:00', hours: 3 },
    { for: 'until 2026-03-29 04:00', hours: 3 },
    { for: '4h', hours: 4 },
    // Typed on a phone.
    { for: 'until 4\u00a0am', hours: 3 },
  ])(
    'lasts until then on the night when clocks change: $for lasts $hours hours',
    ({ for: length, hours }) => {
      expect(plan({ from: 'tomorrow 0:00', for: length }).forMs).toBe(hours * HOUR_MS)
    },
  )

  it('ends at that time on every day if it repeats', () => {
    expect(plan({ from: 'tomorrow 0:00', for: 'until 4:00', every: 'day' }).forMs).toBe(4 * HOUR_MS)
  })

  it.each(['until', 'until now', 'until shop', '2h 3h', 'until 2026-03-28 04:00', 'until 25:00'])(
    'is refused if it isn’t a duration or an end: %s',
    (length) => {
      expect(() => plan({ from: 'tomorrow 0:00', for: length })).toThrow('--for')
    },
  )
})
