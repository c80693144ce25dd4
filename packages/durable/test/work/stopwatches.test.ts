import { expect, it } from 'vitest'
import { createStopwatches } from '../../src/work/step-ledger.ts'

const attempt = (line: number) => ({ workId: 'job', line, begunBy: 'a', begunAt: '2026' })

it('stops measuring the age of an attempt once its outcome is known', () => {
  let now = 0
  const stopwatches = createStopwatches(() => now)
  stopwatches.add('job', [attempt(1), attempt(2)])
  now = 1000
  stopwatches.drop('job', [attempt(1)])
  expect(stopwatches.measureAges('job', [attempt(1), attempt(2)])).toEqual([0, 1000])
})
