import { describe, expect, it } from 'vitest'
import { pageOf, pagingBlocks } from '../../../../src/features/threats/details/page.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a page of a list', () => {
  it.each([
    { count: 0, asked: 1, items: [], page: 1, pages: 1, first: 0 },
    { count: 3, asked: 1, items: [1, 2, 3], page: 1, pages: 1, first: 1 },
    { count: 7, asked: 2, items: [4, 5, 6], page: 2, pages: 3, first: 4 },
    { count: 7, asked: 3, items: [7], page: 3, pages: 3, first: 7 },
    { count: 7, asked: 99, items: [7], page: 3, pages: 3, first: 7 },
    { count: 7, asked: 0, items: [1, 2, 3], page: 1, pages: 3, first: 1 },
  ])('is $items for page $asked of $count', ({ count, asked, ...page }) => {
    expect(pageOf(numbers(count), asked, 3)).toEqual({ ...page, total: count })
  })

  it.each([
    { page: 1, labels: ['Next', 'Last'] },
    { page: 2, labels: ['Previous', 'Next', 'Last'] },
    { page: 3, labels: ['First', 'Previous', 'Next'] },
    { page: 4, labels: ['First', 'Previous'] },
  ])('leads on from page $page by $labels', ({ page, labels }) => {
    const [where, row] = pagingBlocks(
      pageOf(numbers(8), page, 2),
      'Records',
      (number) => `/x --page ${number}`,
    )
    expect(JSON.stringify(where)).toContain(`page ${page} of 4`)
    const elements = row?.type === 'actions' ? row.elements : []
    expect(elements.map((element) => (element.type === 'button' ? element.text.text : ''))).toEqual(labels)
  })

  it('needs nothing to lead on when it is the only one', () => {
    expect(pagingBlocks(pageOf(numbers(2), 1, 2), 'Records', String)).toEqual([])
  })
})
