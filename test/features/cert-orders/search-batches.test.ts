import { expect, it } from 'vitest'
import { SEARCH_BATCH, searchBatches } from '../../../src/features/cert-orders/rows/search-batches.ts'

const ROWS = Array.from({ length: 30 * SEARCH_BATCH + 1 }, (_, number) => ({ number }))

const search = (max?: number) =>
  searchBatches(
    async (count) => ROWS.slice(count, count + SEARCH_BATCH),
    ({ number }) => number % 1000 === 0,
    max,
  )

it('says how many of many rows were searched', async () => {
  const { found, searchedCount } = await search()
  expect(searchedCount).toBe(5000)
  expect(found.map(({ number }) => number)).toEqual([0, 1000, 2000, 3000, 4000])
})

it('searches every row for a file', async () => {
  const { found, searchedCount } = await search(Number.POSITIVE_INFINITY)
  expect(searchedCount).toBeUndefined()
  expect(found.at(-1)).toEqual({ number: 6000 })
})
