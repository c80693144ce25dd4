import { describe, expect, it } from 'vitest'
import { fromWallTime, isTimeZone, toWallTime } from '../../src/domain/zoned-time.ts'

describe('a local time', () => {
  it.each([
    { zone: 'Europe/Paris', wall: '2026-01-15 09:00', utc: '2026-01-15T08:00' },
    { zone: 'Europe/Paris', wall: '2026-07-15 09:00', utc: '2026-07-15T07:00' },
    // On this day, clocks skip from 02:00 to 03:00, so 02:30 means 03:30.
    { zone: 'Europe/Paris', wall: '2026-03-29 02:30', utc: '2026-03-29T01:30' },
    { zone: 'Europe/Paris', wall: '2026-03-29 09:00', utc: '2026-03-29T07:00' },
    // On this day, 02:30 occurs twice. The first occurrence counts.
    { zone: 'Europe/Paris', wall: '2026-10-25 02:30', utc: '2026-10-25T00:30' },
    { zone: 'America/New_York', wall: '2026-11-01 01:30', utc: '2026-11-01T05:30' },
    { zone: 'America/New_York', wall: '2026-03-08 02:15', utc: '2026-03-08T07:15' },
    { zone: 'Asia/Kathmandu', wall: '2026-02-28 00:00', utc: '2026-02-27T18:15' },
    { zone: 'Pacific/Kiritimati', wall: '2026-01-01 00:00', utc: '2025-12-31T10:00' },
    { zone: 'UTC', wall: '2026-12-32 00:00', utc: '2027-01-01T00:00' },
  ])('is converted to UTC: $wall in $zone is $utc', ({ zone, wall, utc }) => {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = wall.split(/[- :]/).map(Number)
    expect(fromWallTime({ year, month, day, hour, minute }, zone).toISOString()).toBe(`${utc}:00.000Z`)
  })

  it('is converted from UTC, with midnight as hour 0', () => {
    expect(toWallTime(new Date('2026-11-20T23:05:00Z'), 'Europe/Paris')).toEqual({
      year: 2026,
      month: 11,
      day: 21,
      hour: 0,
      minute: 5,
      weekday: 6,
    })
  })

  it.each([
    ['Europe/Paris', true],
    ['UTC', true],
    ['Europe/Nowhere', false],
    ['', false],
    ['__proto__', false],
  ] as const)('can be in the time zone “%s”: %s', (name, isKnown) => {
    expect(isTimeZone(name)).toBe(isKnown)
  })
})
