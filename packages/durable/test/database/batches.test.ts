import { expect, it } from 'vitest'
import { createBatches } from '../../src/database/batches.ts'

it('batches items that arrive while a batch is running, in order and separately for each key', async () => {
  const batches: string[] = []
  const add = createBatches(3, async (key: string, items: readonly number[]) => {
    batches.push(`${key} ${items.join()}`)
    return items.map((item) => item * 10)
  })
  const results = await Promise.all([1, 2, 3, 4, 5].map((n) => add('a', n)).concat(add('b', 6)))
  expect(results).toEqual([10, 20, 30, 40, 50, 60])
  expect(batches.sort()).toEqual(['a 1', 'a 2,3,4', 'a 5', 'b 6'])
  expect(await add('a', 7)).toBe(70)
})

it('fails every item of a failed batch, and continues with the next batch', async () => {
  const add = createBatches(2, async (_key: string, items: readonly number[]) => {
    if (items.includes(2)) throw new Error(`failed with ${items.join()}`)
    return items
  })
  const settled = await Promise.allSettled([1, 2, 3, 4].map((n) => add('a', n)))
  expect(
    settled.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
  ).toEqual([1, 'Error: failed with 2,3', 'Error: failed with 2,3', 4])
})
