import { describe, expect, it } from 'vitest'
import { slicePage } from '../../../../src/bot/views/list-page.ts'
import { pagingBlocks } from '../../../../src/features/threats/views/paging.ts'

const countTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a page of a list', () => {
  it.each([
    { page: 1, labels: ['Next', 'Last'] },
    { page: 2, labels: ['Previous', 'Next', 'Last'] },
    { page: 3, labels: ['First', 'Previous', 'Next'] },
    { page: 4, labels: ['First', 'Previous'] },
  ])('has the buttons $labels on page $page', ({ page, labels }) => {
    const [position, row] = pagingBlocks(
      slicePage(countTo(8), page, 2),
      'Records',
      (number) => `/x --page ${number}`,
    )
    expect(JSON.stringify(position)).toContain(`page ${page} of 4`)
    const elements = row?.type === 'actions' ? row.elements : []
    expect(elements.map((element) => (element.type === 'button' ? element.text.text : ''))).toEqual(labels)
  })

  it('has no buttons if it is the only page', () => {
    expect(pagingBlocks(slicePage(countTo(2), 1, 2), 'Records', String)).toEqual([])
  })
})
