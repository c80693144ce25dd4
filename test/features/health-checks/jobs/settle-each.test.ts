import { expect, it } from 'vitest'
import { settleEach } from '../../../../src/features/health-checks/jobs/settle-each.ts'

/** How long each item blocks the event loop. Longer than one turn may take. */
const ITEM_MS = 6

it('yields to other work between synchronous items', async () => {
  const items = Array.from({ length: 50 }, (_, index) => index)
  let others = 0
  let isOver = false
  const countOther = (): void => {
    others += 1
    if (!isOver) setImmediate(countOther)
  }
  setImmediate(countOther)
  const settled = await settleEach(items, async (item) => {
    for (const until = performance.now() + ITEM_MS; performance.now() < until; );
    return item
  })
  isOver = true
  expect(settled).toEqual(items.map((value) => ({ value })))
  // Five items run concurrently, so it must yield after at most five.
  expect(others).toBeGreaterThanOrEqual(items.length / 5)
})
