import { describe, expect, it } from 'vitest'
import { BadDate } from '../../../src/domain/dates/bad-date.ts'
import { readPeriod, toPastDates } from '../../../src/domain/dates/period.ts'
import { formatMoment, toZoned, type Zoned } from '../../../src/domain/dates/zoned.ts'

/** 10:00 on a Tuesday, in Paris. */
const NOW = toZoned(new Date('2026-11-24T10:00:00+01:00'), 'Europe/Paris')

function read(typed: string, now = NOW): string | undefined {
  const period = readPeriod(typed, now)
  if (!period) return undefined
  toPastDates(period, now, typed)
  const format = (at: Zoned): string => formatMoment(at.withTimeZone(now.timeZoneId))
  return `${format(period.from)} – ${period.to ? format(period.to) : 'now'}`
}

describe('a typed period', () => {
  it.each([
    ['today', '2026-11-24 00:00 – 2026-11-25 00:00'],
    ['yesterday', '2026-11-23 00:00 – 2026-11-24 00:00'],
    ['last night', '2026-11-23 18:00 – 2026-11-24 09:00'],
    ['this morning', '2026-11-24 06:00 – 2026-11-24 12:00'],
    ['yesterday evening', '2026-11-23 18:00 – 2026-11-24 00:00'],
    ['this week', '2026-11-23 00:00 – now'],
    ['last week', '2026-11-16 00:00 – 2026-11-23 00:00'],
    ['this month', '2026-11-01 00:00 – now'],
    ['last month', '2026-10-01 00:00 – 2026-11-01 00:00'],
    ['last year', '2025-01-01 00:00 – 2026-01-01 00:00'],
    ['24h', '2026-11-23 10:00 – now'],
    ['last 24 hours', '2026-11-23 10:00 – now'],
    ['the last hour', '2026-11-24 09:00 – now'],
    ['past week', '2026-11-17 10:00 – now'],
    ['last 7 days', '2026-11-17 10:00 – now'],
    ['2 days ago', '2026-11-22 10:00 – now'],
    ['last 3 months', '2026-08-24 10:00 – now'],
    ['since yesterday', '2026-11-23 00:00 – now'],
    ['since 9:00', '2026-11-24 09:00 – now'],
    ['since 11:00', '2026-11-23 11:00 – now'],
    ['since 2h', '2026-11-24 08:00 – now'],
    ['since last week', '2026-11-16 00:00 – now'],
    ['since 20 Nov', '2026-11-20 00:00 – now'],
    ['from 9:00 to 9:30', '2026-11-24 09:00 – 2026-11-24 09:30'],
    ['from yesterday 22:00 to 2:00', '2026-11-23 22:00 – 2026-11-24 02:00'],
    ['between Sunday and Monday', '2026-11-22 00:00 – 2026-11-24 00:00'],
    ['from Monday to Wednesday', '2026-11-16 00:00 – 2026-11-19 00:00'],
    ['Wed-Fri', '2026-11-18 00:00 – 2026-11-21 00:00'],
    ['2026-11-01..2026-11-03', '2026-11-01 00:00 – 2026-11-04 00:00'],
    ['2026-11-01 - 2026-11-03', '2026-11-01 00:00 – 2026-11-04 00:00'],
    ['from 3 days ago to yesterday', '2026-11-21 10:00 – 2026-11-24 00:00'],
    ['from yesterday until now', '2026-11-23 00:00 – 2026-11-24 10:00'],
    ['2026-11-20', '2026-11-20 00:00 – 2026-11-21 00:00'],
    ['20 Nov', '2026-11-20 00:00 – 2026-11-21 00:00'],
    ['1 Dec', '2025-12-01 00:00 – 2025-12-02 00:00'],
    ['Monday', '2026-11-23 00:00 – 2026-11-24 00:00'],
    ['Tuesday', '2026-11-24 00:00 – 2026-11-25 00:00'],
    ['last Tuesday', '2026-11-17 00:00 – 2026-11-18 00:00'],
    ['in November', '2026-11-01 00:00 – 2026-12-01 00:00'],
    ['in December', '2025-12-01 00:00 – 2026-01-01 00:00'],
    ['March 2026', '2026-03-01 00:00 – 2026-04-01 00:00'],
    ['2026-10', '2026-10-01 00:00 – 2026-11-01 00:00'],
    ['2026-11-20 14:05', '2026-11-20 14:05 – now'],
    ['since 8:00 UTC', '2026-11-24 09:00 – now'],
    ['from 7:00 to 8:00 UTC', '2026-11-24 08:00 – 2026-11-24 09:00'],
  ])('%s is %s', (typed, expected) => {
    expect(read(typed)).toBe(expected)
  })

  it.each(['', 'March', 'a day', 'shop', 'week', 'last shop', 'from shop to web', 'to', '7', 'between 9:00'])(
    'isn’t “%s”',
    (typed) => {
      expect(readPeriod(typed, NOW)).toBeUndefined()
    },
  )

  it.each([
    ['tomorrow', '“tomorrow” is still to come.'],
    ['next Friday', '“next Friday” is still to come.'],
    ['since next Monday', '“since next Monday” is still to come.'],
    ['coming Friday', '“coming Friday” is still to come.'],
    ['this evening', '“this evening” is still to come.'],
    ['from Nov 20 to Nov 1', '“from Nov 20 to Nov 1” ends before it begins.'],
    ['since 31 Feb', 'There is no 31 Feb.'],
    ['2026-13', 'There is no 2026-13.'],
  ])('is refused: %s', (typed, message) => {
    expect(() => read(typed)).toThrow(new BadDate(message))
  })

  it('ends at the current time if it isn’t over', () => {
    const period = readPeriod('today', NOW)
    expect(period && toPastDates(period, NOW, 'today')).toEqual({
      from: new Date('2026-11-23T23:00:00Z'),
      to: new Date('2026-11-24T09:00:00Z'),
    })
  })

  it.each([
    // A day with 23 hours, and one with 25.
    { zone: 'Europe/Berlin', now: '2026-03-30T10:00:00Z', typed: 'yesterday', hours: 23 },
    { zone: 'Europe/Berlin', now: '2026-10-26T10:00:00Z', typed: 'yesterday', hours: 25 },
    { zone: 'America/New_York', now: '2026-11-02T15:00:00Z', typed: 'yesterday', hours: 25 },
    { zone: 'Australia/Lord_Howe', now: '2026-10-05T02:00:00Z', typed: 'yesterday', hours: 23.5 },
    { zone: 'Africa/Casablanca', now: '2026-02-16T12:00:00Z', typed: 'yesterday', hours: 25 },
    { zone: 'Asia/Kathmandu', now: '2026-03-30T10:00:00Z', typed: 'yesterday', hours: 24 },
    { zone: 'Europe/Berlin', now: '2026-03-30T10:00:00Z', typed: 'last week', hours: 167 },
  ])('has calendar days: $typed has $hours hours in $zone at $now', ({ zone, now, typed, hours }) => {
    const at = toZoned(new Date(now), zone)
    const period = readPeriod(typed, at)
    const { from, to } = period ? toPastDates(period, at, typed) : {}
    expect(((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 3_600_000).toBe(hours)
  })
})
