import { expect, it } from 'vitest'
import { BadDate } from '../../../src/domain/dates/bad-date.ts'
import { parseDuration } from '../../../src/domain/dates/duration.ts'
import { parseMoment } from '../../../src/domain/dates/moment.ts'
import { parsePeriod } from '../../../src/domain/dates/period.ts'
import { toZoned, type Zoned } from '../../../src/domain/dates/zoned.ts'
import { formatMoment } from './format-moment.ts'

// A Tuesday. The examples of docs/dates-and-times.md have a test of their own.
const NOW = toZoned(new Date('2026-11-24T10:00:00+01:00'), 'Europe/Paris')
const format = (at: Zoned | 'now' | undefined) => (at === undefined || at === 'now' ? at : formatMoment(at))

it.each([
  ['1h30m', 90],
  ['1.5h', 90],
  ['2h 3h', undefined],
  ['2', undefined],
  ['two hours', undefined],
])('reads the duration %s', (typed, minutes) => {
  expect(parseDuration(typed)).toBe(minutes)
})

it.each([
  ['now', 'now'],
  ['9:00', '2026-11-25 09:00'],
  ['until 6pm', '2026-11-24 18:00'],
  ['tomorrow 22:00', '2026-11-25 22:00'],
  ['Friday 9:00', '2026-11-27 09:00'],
  ['Tuesday', '2026-12-01 09:00'],
  ['9am on Friday', '2026-11-27 09:00'],
  ['Tue 18:00', '2026-11-24 18:00'],
  ['2026-12-01', '2026-12-01 09:00'],
  ['2026-12-01 22:00', '2026-12-01 22:00'],
  ['2026-12-01T22:00Z', '2026-12-01 23:00'],
  ['2026-10-25 02:30+01:00', '2026-10-25 02:30+01:00'],
  ['tonight 22:00', '2026-11-24 22:00'],
  ['5pm tonight', '2026-11-24 17:00'],
  ['2026-12-01 22:00-08:00', '2026-12-02 07:00'],
  ['2026-12-01 22:00-23:00', undefined],
  ['tomorrow 22:00-08:00', undefined],
  ['tonight', undefined],
  ['tonight 9:00', undefined],
  ['tonight 9am', undefined],
  ['5', undefined],
  ['next Friday', undefined],
  ['03/04/2027', undefined],
])('reads the moment %s', (typed, expected) => {
  expect(format(parseMoment(typed, NOW))).toBe(expected)
})

it.each([
  ['02:15+02:00', '2:30', '02:30+02:00'],
  ['02:15+01:00', '2:30', '02:30+01:00'],
  ['02:15+01:00', 'Sunday 2:30', '02:30+01:00'],
  ['02:15+01:00', '2026-10-25 2:30', '02:30+01:00'],
])(
  'takes the next of two equal times in the night in which the clocks go back: at %s, %s',
  (now, typed, at) => {
    const zoned = toZoned(new Date(`2026-10-25T${now}`), 'Europe/Paris')
    expect(String(parseMoment(typed, zoned))).toContain(`2026-10-25T${at.replace('+', ':00+')}`)
  },
)

it.each([
  ['7d', '2026-11-17 10:00', undefined],
  ['the past 24h', '2026-11-23 10:00', undefined],
  ['today', '2026-11-24 00:00', '2026-11-25 00:00'],
  ['this week', '2026-11-23 00:00', '2026-11-30 00:00'],
  ['Last week', '2026-11-16 00:00', '2026-11-23 00:00'],
  ['2026-11', '2026-11-01 00:00', '2026-12-01 00:00'],
  ['2026-11-20 14:05', '2026-11-20 14:05', undefined],
  ['since last week', '2026-11-16 00:00', undefined],
  ['last month', '2026-10-01 00:00', '2026-11-01 00:00'],
  ['this month', '2026-11-01 00:00', '2026-12-01 00:00'],
  ['November', undefined, undefined],
])('reads the period %s', (typed, from, to) => {
  const period = parsePeriod(typed, NOW)
  expect([format(period?.from), format(period?.to)]).toEqual([from, to])
})

it('refuses what does not exist', () => {
  // On 2027-03-28, the clocks skip 2:00 to 3:00.
  for (const typed of ['25:00', '2026-02-30', '13pm', '2027-03-28 02:30'])
    expect(() => parseMoment(typed, NOW), typed).toThrow(BadDate)
})

it.each([
  ['tonight', '03:00', '2026-11-23 18:00', '2026-11-24 06:00'],
  ['tonight', '17:59', '2026-11-23 18:00', '2026-11-24 06:00'],
  ['overnight', '10:00', '2026-11-23 18:00', '2026-11-24 06:00'],
  ['tonight', '18:00', '2026-11-24 18:00', '2026-11-25 06:00'],
  ['last night', '23:00', '2026-11-23 18:00', '2026-11-24 06:00'],
  ['since 22:00', '03:00', '2026-11-23 22:00', undefined],
  ['since 22:00', '22:00', '2026-11-24 22:00', undefined],
  ['since 10pm', '23:00', '2026-11-24 22:00', undefined],
])('reads %s at %s', (typed, at, from, to) => {
  const period = parsePeriod(typed, toZoned(new Date(`2026-11-24T${at}+01:00`), 'Europe/Paris'))
  expect([format(period?.from), format(period?.to)]).toEqual([from, to])
})

it('reads a time alone as no period', () => {
  expect(parsePeriod('22:00', NOW)).toBeUndefined()
})
