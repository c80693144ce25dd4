import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatShortDuration, readDuration } from '../../../src/domain/dates/duration.ts'

describe('a typed duration', () => {
  it.each([
    ['30m', 30],
    ['2H', 120],
    ['90 min', 90],
    ['1h30m', 90],
    ['1h30', 90],
    ['2 d 3 h', 3060],
    ['1.5h', 90],
    ['1,5 hours', 90],
    ['half an hour', 30],
    ['an hour and a half', 90],
    ['an hour and 30 minutes', 90],
    ['two hours and a half', 150],
    ['a day', 1440],
    ['ten minutes', 10],
    ['2 weeks', 20_160],
    ['1h, 30m', 90],
    ['0m', 0],
  ])('%s is %d minutes', (typed, minutes) => {
    expect(readDuration(typed)).toBe(minutes)
  })

  it.each([
    '',
    'm',
    '-1h',
    '30',
    '1h 30',
    '2h 3h',
    '2h 120m 1h',
    '1constructor',
    '2hh',
    'and',
    'and 30 minutes and',
    '1h x',
    'shop 2h',
    'a',
    `${'9'.repeat(70)}h`,
  ])('isn’t “%s”', (typed) => {
    expect(readDuration(typed)).toBeUndefined()
  })

  it('reads back what formatShortDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000 }), (minutes) => {
        expect(readDuration(formatShortDuration(minutes))).toBe(minutes)
      }),
    )
  })
})
