import { expect, it, vi } from 'vitest'
import { yieldWhenDue } from '../src/turns.ts'

it('goes on with the next turn although the clock stood still meanwhile', async () => {
  vi.useFakeTimers()
  try {
    await yieldWhenDue()
  } finally {
    vi.useRealTimers()
  }
  const until = performance.now() + 10
  while (performance.now() < until);
  let isOver = false
  void yieldWhenDue().then(() => {
    isOver = true
  })
  await expect.poll(() => isOver).toBe(true)
})
