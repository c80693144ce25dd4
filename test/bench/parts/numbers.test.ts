import { describe, expect, it } from 'vitest'
import { median, percentile, ratio } from '../../../bench/parts/numbers.ts'

describe('median', () => {
  it.each([
    { values: [3], is: 3 },
    { values: [9, 1, 4], is: 4 },
    { values: [4, 1, 3, 2], is: 2.5 },
    { values: [10, 9, 100], is: 10 },
  ])('is $is for $values', ({ values, is }) => expect(median(values)).toBe(is))

  it('throws for an empty list', () => expect(() => median([])).toThrow('An empty list has no median.'))
})

it.each([
  { share: 0.5, is: 2 },
  { share: 0.99, is: 4 },
  { share: 1, is: 4 },
])('percentile $share of four numbers is $is', ({ share, is }) =>
  expect(percentile([4, 1, 3, 2], share)).toBe(is),
)

describe('ratio', () => {
  it('compares times from the same round, so a slow round affects both sides', () => {
    expect(ratio([10, 1000, 12], [20, 2000, 24])).toBe(0.5)
  })

  it('throws if the two sides have a different number of rounds', () => {
    expect(() => ratio([1], [1, 2])).toThrow('different numbers of rounds')
  })
})
