import { describe, expect, it } from 'vitest'
import { formatList, pluralize } from '../../src/domain/wording.ts'

describe('a number of things', () => {
  it.each([
    { count: 0, says: '0 rows' },
    { count: 1, says: '1 row' },
    { count: 50_000, says: '50,000 rows' },
  ])('is “$says” for $count', ({ count, says }) => expect(pluralize(count, 'row')).toBe(says))
})

describe('a shortened list', () => {
  it.each([
    { items: [], says: '' },
    { items: ['a', 'b'], says: 'A, B' },
    { items: ['a', 'b', 'c'], says: 'A, B, 1 more' },
    { items: Array<string>(5_000).fill('a'), says: 'A, A, 4,998 more' },
  ])('shows the first items and how many more there are: $says', ({ items, says }) => {
    expect(formatList(items, 2, (item) => item.toUpperCase())).toBe(says)
  })
})
