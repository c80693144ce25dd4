import { describe, expect, it } from 'vitest'
import { neighborPages, slicePage } from '../../../src/bot/views/list-page.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a page of a complete list', () => {
  it.each([
    { count: 0, requested: 1, items: [], page: 1, pages: 1, start: 0 },
    { count: 3, requested: 1, items: [1, 2, 3], page: 1, pages: 1, start: 0 },
    { count: 7, requested: 2, items: [4, 5, 6], page: 2, pages: 3, start: 3 },
    { count: 7, requested: 3, items: [7], page: 3, pages: 3, start: 6 },
    { count: 7, requested: 99, items: [7], page: 3, pages: 3, start: 6 },
    { count: 7, requested: 0, items: [1, 2, 3], page: 1, pages: 3, start: 0 },
  ])('shows $items of $count items if page $requested is requested', ({ count, requested, ...page }) => {
    expect(slicePage(numbers(count), requested, 3)).toEqual({ ...page, total: count })
  })

  it.each([
    { page: 1, pages: 1, previous: undefined, next: undefined },
    { page: 1, pages: 3, previous: undefined, next: '--page 2' },
    { page: 2, pages: 3, previous: '--page 1', next: '--page 3' },
    { page: 3, pages: 3, previous: '--page 2', next: undefined },
  ])('links from page $page of $pages to $previous and $next', ({ page, pages, ...neighbors }) => {
    expect(neighborPages({ page, pages }, (to) => `--page ${to}`)).toEqual(neighbors)
  })
})
