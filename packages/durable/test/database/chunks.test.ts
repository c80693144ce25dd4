import { expect, it } from 'vitest'
import { splitChunks } from '../../src/database/batches.ts'

it.each([
  { items: [], size: 2, chunks: [] },
  { items: [1, 2], size: 2, chunks: [[1, 2]] },
  { items: [1, 2, 3], size: 2, chunks: [[1, 2], [3]] },
])('splits into chunks of $size: $items', ({ items, size, chunks }) => {
  expect([...splitChunks(items, size)]).toEqual(chunks)
})
