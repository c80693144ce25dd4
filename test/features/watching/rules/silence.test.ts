import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Temporal } from '../../../../src/domain/dates/zoned.ts'
import { isRunning, listWindows, type SilenceTimes } from '../../../../src/features/watching/rules/silence.ts'

const ZONE = 'Europe/Berlin'
const at = (local: string, timeZone = ZONE): Date =>
  new Date(Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds)
const show = (date: Date, timeZone = ZONE): string =>
  Temporal.Instant.from(date.toISOString())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString()
    .slice(0, 16)

describe('the windows of recurring maintenance', () => {
  it.each([
    ...[
      ['month', '2027-01-30T22:00', '2027-01-31T02:00', '2027-02-28T22:00', '2027-03-01T02:00'],
      ['month', '2027-01-30T22:00', '2027-01-31T02:00', '2027-04-30T22:00', '2027-05-01T02:00'],
      ['month', '2027-01-31T22:00', '2027-02-01T02:00', '2027-02-28T22:00', '2027-03-01T02:00'],
      ['month', '2027-01-31T22:00', '2027-02-01T02:00', '2027-03-31T22:00', '2027-04-01T02:00'],
      ['month', '2027-01-27T22:00', '2027-01-30T22:00', '2027-02-27T22:00', '2027-03-02T22:00'],
      // The day on which clocks go forward from 2:00 to 3:00: 2:15 is 3:15 then.
      ['day', '2027-03-20T02:15', '2027-03-20T03:00', '2027-03-28T03:15', '2027-03-28T04:00'],
      ['day', '2027-03-20T01:00', '2027-03-20T05:00', '2027-03-28T01:00', '2027-03-28T05:00'],
      // The day on which they go back from 3:00 to 2:00.
      ['day', '2027-10-20T01:00', '2027-10-20T05:00', '2027-10-31T01:00', '2027-10-31T05:00'],
      ['week', '2027-03-21T23:00', '2027-03-22T04:00', '2027-03-28T23:00', '2027-03-29T04:00'],
    ],
  ] as const)('every %s from %s to %s: also from %s to %s', (every, from, to, laterFrom, laterTo) => {
    const silence = { from: at(from), to: at(to), every, timeZone: ZONE }
    const around = { from: new Date(at(laterFrom).getTime() - 1), to: at(laterTo) }
    expect(listWindows(silence, around).map((window) => [show(window.from), show(window.to)])).toEqual([
      [laterFrom, laterTo],
    ])
  })

  const times = fc.record({
    timeZone: fc.constantFrom(
      'UTC',
      ZONE,
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Asia/Kathmandu',
    ),
    every: fc.constantFrom('day', 'week', 'month'),
    day: fc.integer({ min: 0, max: 800 }),
    minute: fc.integer({ min: 0, max: 1439 }),
    lengthMinutes: fc.integer({ min: 1, max: 22 * 60 }),
  })

  it('never end before they begin, never overlap, and start at the same time of day', () => {
    fc.assert(
      fc.property(times, ({ timeZone, every, day, minute, lengthMinutes }) => {
        const first = Temporal.PlainDateTime.from('2026-06-01T00:00').add({ days: day, minutes: minute })
        const from = at(first.toString(), timeZone)
        const silence: SilenceTimes = {
          from,
          to: new Date(from.getTime() + lengthMinutes * 60_000),
          every,
          timeZone,
        }
        const windows = listWindows(silence, { from, to: new Date(from.getTime() + 400 * 86_400_000) })
        expect(windows.length).toBeGreaterThan(every === 'month' ? 12 : 50)
        for (const [index, window] of windows.entries()) {
          expect(window.to > window.from).toBe(true)
          expect(isRunning(silence, window.from)).toBe(true)
          expect(isRunning(silence, new Date(window.to.getTime() - 1))).toBe(true)
          const next = windows[index + 1]
          if (next) expect(next.from >= window.to).toBe(true)
          const isShifted = Math.abs(window.to.getTime() - window.from.getTime() - lengthMinutes * 60_000)
          expect(isShifted).toBeLessThanOrEqual(2 * 3_600_000)
        }
      }),
      { numRuns: 30 },
    )
  })
})
