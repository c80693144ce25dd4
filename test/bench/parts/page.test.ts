import { expect, it } from 'vitest'
import { formatPage } from '../../../bench/parts/page.ts'

it('lists each goal, and why a goal isn’t met', () => {
  const page = formatPage({
    fast: { tables: [], goals: [{ goal: 'fast', bound: { atMost: 1 }, reached: 0.5, reason: 'unused' }] },
    slow: {
      tables: [],
      goals: [{ goal: 'slow', bound: { atLeast: 300 }, reached: 250, unit: 'ms', reason: 'It waits.' }],
    },
  })
  expect(page).toContain(
    '| fast | 0.50 | ≤ 1 | met |\n| slow | 250 ms | ≥ 300 ms | not met |\n\n## Why some goals aren’t met\n\n- **slow**: It waits.\n',
  )
  expect(page).not.toContain('unused')
})
