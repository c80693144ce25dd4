import { expect, it } from 'vitest'
import { formatList, pluralize } from '../../src/domain/wording.ts'

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
