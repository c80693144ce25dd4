import { expect, it } from 'vitest'
import { formatPage } from '../../../bench/parts/page.ts'

it('lists the goals that are met, then the others and why', () => {
  const page = formatPage({
    slow: [{ goal: 'slow', atMost: 250, reached: 300, unit: 'ms', reason: 'It waits.' }],
    fast: [
      {
        goal: 'fast',
        atMost: 1,
        reached: 0.5,
        sides: { ours: 50, theirs: 100.4, unit: 'µs' },
        reason: 'unused',
      },
    ],
  })
  expect(page).toContain(
    '## Goals that are met\n\n| | measured | goal |\n| --- | --: | --: |\n| fast | 0.50 (50 ÷ 100 µs) | ≤ 1 |\n\n',
  )
  expect(page).toContain('| slow | 300 ms | ≤ 250 ms |\n\n- **slow**: It waits.\n')
  expect(page).not.toContain('unused')
})
