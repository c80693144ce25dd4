import { describe, expect, it } from 'vitest'
import { BadDate } from '../../../src/domain/dates/bad-date.ts'
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
