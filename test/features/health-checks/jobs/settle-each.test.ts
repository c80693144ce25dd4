import { expect, it } from 'vitest'
import { settleEach } from '../../../../src/features/health-checks/jobs/settle-each.ts'
import { longestTurnMs } from '../../../hostile-texts.ts'

it('settles 50,000 items that ask nobody anything, and lets others in meanwhile', async () => {
  const items = Array.from({ length: 50_000 }, (_, nth) => nth)
  let settled: unknown[] = []
  const work = async () => {
    settled = await settleEach(items, async (nth) => nth)
  }
  const longest = await longestTurnMs(work, 150)
  expect(settled).toEqual(items.map((value) => ({ value })))
  expect(longest).toBeLessThan(150)
})
