import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Temporal } from '../../../../src/domain/dates/zoned.ts'
import { findWindow, windowsOf } from '../../../../src/features/watching/rules/silence.ts'
import {
  parseMaintenanceStart,
  parseMaintenanceTimes,
} from '../../../../src/features/watching/silences/times.ts'
import { quickOrLong } from '../../../long.ts'

const ZONE = 'Europe/Berlin'
const ZONES = ['UTC', ZONE, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu']
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
    // Planned on the 31st, after the hour.
    [
      '2027-01-31T10:00',
      { from: '2027-01-31 09:00', for: '2h', every: 'month' },
      '02-28T09:00 03-31T09:00 04-30T09:00',
    ],
    [
      '2028-02-29T10:00',
      { from: 'today 09:00', for: '2h', every: 'month' },
      '03-29T09:00 04-29T09:00 05-29T09:00',
    ],
    [
      '2027-01-31T10:00',
      { from: '2026-12-31 22:00', for: '2h', every: 'month' },
      '01-31T22:00 02-28T22:00 03-31T22:00',
    ],
    [
      '2027-01-31T10:00',
      { from: 'yesterday 09:00', for: 'until 11:00', every: 'day' },
      '02-01T09:00 02-02T09:00 02-03T09:00',
    ],
    [
      '2027-01-31T10:00',
      { from: 'Sun 9:00', for: '2h', every: 'week' },
      '02-07T09:00 02-14T09:00 02-21T09:00',
    ],
    ['2027-01-31T10:00', { from: 'now', for: '2h', every: 'week' }, '01-31T10:00 02-07T10:00 02-14T10:00'],
    // The night before the clocks skip 2:00 to 3:00.
    ['2027-03-27T10:00', { from: '1:00', for: '30m', every: 'day' }, '03-28T01:00 03-29T01:00 03-30T01:00'],
    ['2027-03-28T10:00', { from: '2:30', for: '1h', every: 'day' }, '03-29T02:30 03-30T02:30 03-31T02:30'],
    ['2027-03-27T10:00', { from: '2:30', for: '1h', every: 'day' }, 'There is no 02:30 on 2027-03-28'],
    ['2027-03-27T10:00', { from: '1:30', for: '1h', every: 'day' }, 'The clocks skip the end of its first'],
    ['2027-03-27T10:00', { from: '1:30', for: 'until 2:30' }, 'There is no 02:30 on 2027-03-28'],
    ['2027-01-31T10:00', { from: '22:00', for: 'until yesterday' }, 'It would end before it begins.'],
    ['2027-01-31T10:00', { from: '2027-01-31 09:00', for: '2h' }, 'That time has passed.'],
  ] as const)('planned at %s with %o: %s', (now, options, expected) => {
    const read = () => {
      const madeAt = at(now)
      const from = parseMaintenanceStart(options, madeAt, ZONE)
      const silence = { ...parseMaintenanceTimes(options, from, ZONE), madeAt }
      const around = { from: at('2026-01-01T00:00'), to: new Date(madeAt.getTime() + 150 * 86_400_000) }
      const [first, ...later] = windowsOf(silence, around).map((window) => show(window.from).slice(5))
      return [first, ...later.slice(0, 2)].join(' ')
    }
    if (/^\d/.test(expected)) expect(read()).toBe(expected)
    else expect(read).toThrow(expected)
  })

  it('end when somebody ends it', () => {
    const [from, to] = [at('2027-01-10T22:00'), at('2027-01-11T02:00')]
    const daily = { from, to, madeAt: from, every: 'day', timeZone: ZONE } as const
    const list = (endedAt: Date) =>
      windowsOf({ ...daily, endedAt }, { from: at('2027-01-01T00:00'), to: at('2027-02-01T00:00') }).map(
        (one) => show(one.to),
      )
    expect(list(at('2027-01-11T23:00'))).toEqual(['2027-01-11T02:00', '2027-01-11T23:00'])
    expect(list(at('2027-01-11T12:00'))).toEqual(['2027-01-11T02:00'])
    expect(list(from)).toEqual([])
  })

  const times = fc.record({
    timeZone: fc.constantFrom(...ZONES),
    every: fc.constantFrom('day', 'week', 'month'),
    day: fc.integer({ min: 0, max: 800 }),
    minute: fc.integer({ min: 0, max: 1439 }),
    lengthMinutes: fc.integer({ min: 1, max: 22 * 60 }),
  })

  /** When the window with this number begins and ends, as Temporal reckons. */
  function moveByCalendar(first: string, { every, timeZone, lengthMs }: Moved, index: number) {
    const start = Temporal.PlainDateTime.from(first)
    const from = at(first, timeZone)
    const wall = (date: Date) => Temporal.Instant.from(date.toISOString()).toZonedDateTimeISO(timeZone)
    const length = wall(from)
      .toPlainDateTime()
      .until(wall(new Date(from.getTime() + lengthMs)).toPlainDateTime())
    const moved = start.add({ [`${every}s`]: index })
    const [begins, ends] = [moved, moved.add(length)].map((time) => at(time.toString(), timeZone)) as [
      Date,
      Date,
    ]
    return { from: begins, to: ends > begins ? ends : new Date(begins.getTime() + lengthMs) }
  }
  interface Moved {
    every: 'day' | 'week' | 'month'
    timeZone: string
    lengthMs: number
  }

  it('are those of the calendar, in any zone, month, and night in which the clocks change', () => {
    const changes = fc.constantFrom(
      '2026-10-25',
      '2027-03-28',
      '2027-10-31',
      '2027-03-14',
      '2027-04-04',
      '2027-01-31',
    )
    fc.assert(
      fc.property(times, changes, fc.integer({ min: 1, max: 12 }), (drawn, day, index) => {
        const { timeZone, every, minute, lengthMinutes } = drawn
        const wall = Temporal.PlainDateTime.from(`${day}T00:00`)
          .add({ minutes: minute })
          .subtract({ [`${every}s`]: index })
        const first = show(at(wall.toString(), timeZone), timeZone)
        const from = at(first, timeZone)
        const moved = { every, timeZone, lengthMs: lengthMinutes * 60_000 }
        const silence = { ...moved, from, madeAt: from, to: new Date(from.getTime() + moved.lengthMs) }
        const expected = moveByCalendar(first, moved, index)
        const found = findWindow(silence, new Date(expected.to.getTime() - 1))
        expect(found).toEqual(expected)
        expect(windowsOf(silence, expected)).toEqual([expected])
      }),
      { numRuns: quickOrLong('WINDOWS', { quick: 60, long: 3000 }) },
    )
  })

  it('never end before they begin, never overlap, and start at the same time of day', () => {
    fc.assert(
      fc.property(times, ({ timeZone, every, day, minute, lengthMinutes }) => {
        const first = Temporal.PlainDateTime.from('2026-06-01T00:00').add({ days: day, minutes: minute })
        const from = at(first.toString(), timeZone)
        const silence = {
          ...{ from, madeAt: from },
          to: new Date(from.getTime() + lengthMinutes * 60_000),
          every,
          timeZone,
        }
        const windows = windowsOf(silence, { from, to: new Date(from.getTime() + 400 * 86_400_000) })
        expect(windows.length).toBeGreaterThan(every === 'month' ? 12 : 50)
        for (const [index, window] of windows.entries()) {
          expect(window.to > window.from).toBe(true)
          expect(findWindow(silence, window.from)).toEqual(window)
          expect(findWindow(silence, new Date(window.to.getTime() - 1))).toEqual(window)
          const next = windows[index + 1]
          if (next) expect(next.from >= window.to).toBe(true)
          const isShifted = Math.abs(window.to.getTime() - window.from.getTime() - lengthMinutes * 60_000)
          expect(isShifted).toBeLessThanOrEqual(2 * 3_600_000)
        }
      }),
      { numRuns: quickOrLong('WINDOWS', { quick: 8, long: 300 }) },
    )
  })
})
