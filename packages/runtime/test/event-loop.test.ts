import { expect, it, vi } from 'vitest'
import { yieldWhenDue } from '../src/event-loop.ts'

it('resumes in the next event loop turn even if the clock hasn’t advanced', async () => {
  vi.useFakeTimers()
  try {
    await yieldWhenDue()
  } finally {
    vi.useRealTimers()
  }
  const until = performance.now() + 10
  while (performance.now() < until);
  let hasResumed = false
  void yieldWhenDue().then(() => {
    hasResumed = true
  })
  await expect.poll(() => hasResumed).toBe(true)
})
