import { describe, expect, it } from 'vitest'
import { BadDate, listReadings } from '../../../src/domain/dates/bad-date.ts'
import { readSpan } from '../../../src/domain/dates/span.ts'
import { formatMoment, toZoned } from '../../../src/domain/dates/zoned.ts'
import { ZONES } from './zones.ts'

/** 10:00 on a Tuesday, in Paris. */
const NOW = toZoned(new Date('2026-11-24T10:00:00+01:00'), 'Europe/Paris')

function read(typed: string, now = NOW): string | undefined {
  const span = readSpan(typed, now)
  return span && `${formatMoment(span.start)} – ${formatMoment(span.end)}`
}

describe('a typed span', () => {
  it.each([
    ['Sunday 2-4 am', '2026-11-29 02:00 – 2026-11-29 04:00'],
    ['2-4am on Sunday', '2026-11-29 02:00 – 2026-11-29 04:00'],
    ['Sun 2-4', '2026-11-29 02:00 – 2026-11-29 04:00'],
    ['tomorrow 22:00 to 1:30', '2026-11-25 22:00 – 2026-11-26 01:30'],
    ['22:00-24:00', '2026-11-24 22:00 – 2026-11-25 00:00'],
    ['0:00-4:00', '2026-11-25 00:00 – 2026-11-25 04:00'],
    ['from 22:00 until 2:00', '2026-11-24 22:00 – 2026-11-25 02:00'],
    ['22:00-22:00', '2026-11-24 22:00 – 2026-11-25 22:00'],
    ['10-2 pm', '2026-11-25 10:00 – 2026-11-25 14:00'],
    ['11-1 am', '2026-11-24 23:00 – 2026-11-25 01:00'],
    ['12-2 pm', '2026-11-24 12:00 – 2026-11-24 14:00'],
    ['2pm-4', '2026-11-24 14:00 – 2026-11-24 16:00'],
    ['9am to 5pm', '2026-11-25 09:00 – 2026-11-25 17:00'],
    ['25 Dec 2-4', '2026-12-25 02:00 – 2026-12-25 04:00'],
    ['2026-12-25 2-4', '2026-12-25 02:00 – 2026-12-25 04:00'],
    ['on Monday 22:00 - 23:00', '2026-11-30 22:00 – 2026-11-30 23:00'],
    ['Friday 18:00 to Monday 8:00', '2026-11-27 18:00 – 2026-11-30 08:00'],
    ['6p to Monday 8a', '2026-11-24 18:00 – 2026-11-30 08:00'],
    ['2026-12-01 22:00 to 2026-12-02 02:00', '2026-12-01 22:00 – 2026-12-02 02:00'],
    // A zone is that of both times.
    ['22:00-23:00 UTC', '2026-11-24 23:00 – 2026-11-25 00:00'],
    ['22:00Z-23:00Z', '2026-11-24 23:00 – 2026-11-25 00:00'],
    ['22:00 UTC to 23:00', '2026-11-24 23:00 – 2026-11-25 00:00'],
    ['22:00-23:00 UTC on Sunday', '2026-11-29 23:00 – 2026-11-30 00:00'],
    ['Sunday 2-4pm America/New_York', '2026-11-29 20:00 – 2026-11-29 22:00'],
    ['Friday 18:00 to Monday 8:00 UTC', '2026-11-27 19:00 – 2026-11-30 09:00'],
    ['2026-12-01 18:00 UTC to 2026-12-01 20:00 Europe/Paris', '2026-12-01 19:00 – 2026-12-01 20:00'],
  ])('%s is %s', (typed, expected) => {
    expect(read(typed)).toBe(expected)
  })

  it.each([
    '',
    '2-4',
    'web 2-4',
    'web 22:00-2:00',
    '22:00',
    'Monday',
    '2026-12-02 22:00 to 2026-12-01 02:00',
    'a-b',
  ])('isn’t “%s”', (typed) => {
    expect(readSpan(typed, NOW)).toBeUndefined()
  })

  it('is refused if a time doesn’t exist', () => {
    expect(() => readSpan('25:00-26:00', NOW)).toThrow(new BadDate('There is no 25:00.'))
    expect(() => readSpan('22:00-25:00', NOW)).toThrow(new BadDate('There is no 25:00.'))
  })

  it('offers both nights if the day may be the first or the second, and reads each offer', () => {
    try {
      readSpan('22:00-2:00 on Sunday', NOW)
      expect.unreachable()
    } catch (error) {
      const { offers } = error as BadDate
      expect(offers.map((offer) => read(offer))).toEqual([
        '2026-11-28 22:00 – 2026-11-29 02:00',
        '2026-11-29 22:00 – 2026-11-30 02:00',
      ])
    }
    // The offers are in the person's own zone.
    const inUtc = '22:00-2:00 UTC on Sunday'
    const readings = listReadings(inUtc, (text) => readSpan(text, NOW) !== undefined)
    expect(readings.map(({ text }) => read(text))).toEqual([
      '2026-11-28 23:00 – 2026-11-29 03:00',
      '2026-11-29 23:00 – 2026-11-30 03:00',
    ])
  })

  it.each([
    ['tonight 8 to 10', ['2026-11-24 20:00 – 2026-11-24 22:00']],
    ['tonight 8:00 to 10:00', ['2026-11-24 20:00 – 2026-11-24 22:00']],
    ['tonight 10-11', ['2026-11-24 22:00 – 2026-11-24 23:00']],
    ['tonight 11-1', ['2026-11-24 23:00 – 2026-11-25 01:00']],
    ['12-2 tonight', ['2026-11-25 00:00 – 2026-11-25 02:00']],
    ['tonight 5-7', ['2026-11-24 17:00 – 2026-11-24 19:00']],
    ['Monday 9 to 5', ['2026-11-30 09:00 – 2026-11-30 17:00', '2026-11-30 21:00 – 2026-12-01 05:00']],
    ['Monday from 9 to 5', ['2026-11-30 09:00 – 2026-11-30 17:00', '2026-11-30 21:00 – 2026-12-01 05:00']],
    ['Dec 5 9-5', ['2026-12-05 09:00 – 2026-12-05 17:00', '2026-12-05 21:00 – 2026-12-06 05:00']],
    ['tomorrow 9:30-5', ['2026-11-25 09:30 – 2026-11-25 17:00', '2026-11-25 21:30 – 2026-11-26 05:00']],
    ['tomorrow 12-2', ['2026-11-25 12:00 – 2026-11-25 14:00', '2026-11-25 00:00 – 2026-11-25 02:00']],
    ['tomorrow 10-2', ['2026-11-25 10:00 – 2026-11-25 14:00', '2026-11-25 22:00 – 2026-11-26 02:00']],
    ['from 9 to 5', ['2026-11-25 09:00 – 2026-11-25 17:00', '2026-11-24 21:00 – 2026-11-25 05:00']],
    ['between 2 and 4', ['2026-11-25 02:00 – 2026-11-25 04:00', '2026-11-24 14:00 – 2026-11-24 16:00']],
    ['from 9 to 17', ['2026-11-25 09:00 – 2026-11-25 17:00']],
  ])('asks what the hours of %s mean, and reads each offer', (typed, expected) => {
    const readings = listReadings(typed, (text) => readSpan(text, NOW) !== undefined)
    expect(() => readSpan(typed, NOW)).toThrow(BadDate)
    expect(readings.map(({ text }) => read(text))).toEqual(expected)
  })

  it.each([
    ['tomorrow 22-2', '2026-11-25 22:00 – 2026-11-26 02:00'],
    ['tomorrow 9:00-5:00', '2026-11-25 09:00 – 2026-11-26 05:00'],
    ['tonight 1-3', '2026-11-25 01:00 – 2026-11-25 03:00'],
    ['tonight 8-10pm', '2026-11-24 20:00 – 2026-11-24 22:00'],
    ['tomorrow between 22:00 and 23:00', '2026-11-25 22:00 – 2026-11-25 23:00'],
  ])('doesn’t ask about clear times: %s is %s', (typed, expected) => {
    expect(read(typed)).toBe(expected)
  })

  it('keeps its clock times on every night of the year', () => {
    for (const zone of ZONES) {
      for (let day = 0; day < 366; day += 1) {
        const now = toZoned(new Date(Date.UTC(2026, 0, 1, 12)), zone).add({ days: day })
        const span = readSpan('tomorrow 0:00-4:00', now)
        expect(span?.end.toPlainTime().toString(), `${zone} ${now}`).toBe('04:00:00')
        expect(span?.end.toPlainDate().toString()).toBe(now.add({ days: 1 }).toPlainDate().toString())
      }
    }
  })

  it('has three or five hours on the nights when clocks change', () => {
    const hours = (now: string): number | undefined => {
      const span = readSpan('tomorrow 0:00-4:00', toZoned(new Date(now), 'Europe/Berlin'))
      return span?.start.until(span.end).total('hours')
    }
    expect(hours('2026-03-28T12:00:00Z')).toBe(3)
    expect(hours('2026-10-24T12:00:00Z')).toBe(5)
    expect(hours('2026-11-24T12:00:00Z')).toBe(4)
  })
})
