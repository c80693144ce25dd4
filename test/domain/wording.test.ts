import { expect, it } from 'vitest'
import { describeNone, formatList, pluralize } from '../../src/domain/wording.ts'

it.each([
  { count: 0, expected: '0 rows' },
  { count: 1, expected: '1 row' },
  { count: 50_000, expected: '50,000 rows' },
])('a number of things is “$expected” for $count', ({ count, expected }) =>
  expect(pluralize(count, 'row')).toBe(expected),
)

it.each([
  { items: [], expected: '' },
  { items: ['a', 'b'], expected: 'A, B' },
  { items: ['a', 'b', 'c'], expected: 'A, B, and 1 more' },
  { items: ['a, b', 'c', 'd'], expected: 'A, B; C; and 1 more' },
  { items: ['a, b'], expected: 'A, B' },
  { items: Array<string>(5_000).fill('a'), expected: 'A, A, and 4,998 more' },
])('a shortened list shows the first items and how many more there are: $expected', ({ items, expected }) => {
  expect(formatList(items, 2, (item) => item.toUpperCase())).toBe(expected)
})

it.each([
  [0, ['is yours'], 'There are no orders'],
  [2, ['is yours', 'was rejected'], 'None of the 2 orders is yours and was rejected'],
  [1, ['is yours'], 'The only order isn’t yours'],
  // It may be the one and not the other.
  [1, ['is yours', 'was rejected'], 'The only order isn’t yours or wasn’t rejected'],
  [1, ['is yours', 'expired'], 'The only order isn’t yours or doesn’t match'],
  [1, ['matches'], 'The only order doesn’t match'],
])('says which case an empty list is: %d, %j', (total, wanted, text) => {
  expect(describeNone(total, wanted, 'order')).toBe(text)
})
