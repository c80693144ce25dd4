import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { takeTurns } from '../parts/turns.ts'

const REASON = 'Every row is validated, and the other reader validates none.'
const MEGABYTE = 1024 * 1024

/** The result of `read-all-checks.ts`. */
interface Result {
  ms: number
  peakBytes: number
  counted: number
}

/** Measures reading every check of a large account from a service that takes 25 ms per page. */
export async function measureLongListing(run: RunOptions): Promise<readonly Goal[]> {
  const total = run.size(100_000, 2000)
  await using service = await startChild('servers/service.ts', { delayMs: 25, checks: total })
  const read = (strategy: 'streaming' | 'collecting') => async () => {
    const settings = { serviceUrl: service.ready, strategy }
    await using child = await startChild<Result>('servers/read-all-checks.ts', settings)
    const { ms, peakBytes, counted } = child.ready
    if (counted !== total) throw new Error(`${strategy}: ${counted} of ${total} checks were counted.`)
    return { ms, megabytes: peakBytes / MEGABYTE }
  }
  const turns = await takeTurns(run, 5, { collecting: read('collecting'), ours: read('streaming') })
  return [
    {
      goal: 'Time of 100,000 checks ÷ reading twelve pages at a time without validation',
      atMost: 0.85,
      ...turns.divide('ms', 'collecting', 'ms'),
      reason: REASON,
    },
    {
      goal: 'Peak memory of 100,000 checks',
      atMost: 175,
      reached: turns.median('megabytes'),
      unit: 'MB',
    },
  ]
}
