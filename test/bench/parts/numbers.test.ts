import { describe, expect, it } from 'vitest'
import { median, percentile, ratio } from '../../../bench/parts/numbers.ts'

describe('median', () => {
  it.each([
    { values: [3], expected: 3 },
    { values: [9, 1, 4], expected: 4 },
    { values: [4, 1, 3, 2], expected: 2.5 },
    { values: [10, 9, 100], expected: 10 },
  ])('is $expected for $values', ({ values, expected }) => expect(median(values)).toBe(expected))

  it('throws for an empty list', () => expect(() => median([])).toThrow('An empty list has no median.'))
})

it.each([
  { share: 0.5, expected: 2 },
  { share: 0.99, expected: 4 },
  { share: 1, expected: 4 },
])('percentile $share of four numbers is $expected', ({ share, expected }) =>
  expect(percentile([4, 1, 3, 2], share)).toBe(expected),
)

it('compares times from the same round, so a slow round affects both sides', () => {
  expect(ratio([10, 1000, 12], [20, 2000, 24])).toBe(0.5)
})
