import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { median, ratio } from '../parts/numbers.ts'
import type { Walk } from '../servers/walking.ts'

const WALKS = ['folded', 'oneByOne', 'collected'] as const satisfies readonly Walk[]
const MEGABYTE = 1024 * 1024

/** Measures reading every check of a large account if the service takes 25 ms per page. */
export const hundredThousand: Benchmark = {
  name: 'hundred-thousand',
  question: 'What does it cost to list 100,000 checks if a page takes 25 ms?',
  async answer({ progress, size }) {
    const total = size(100_000, 2000)
    await using service = await startChild('servers/service.ts', { delayMs: 25, total })
    const ms: Record<Walk, number[]> = { folded: [], oneByOne: [], collected: [] }
    const peaks: Record<Walk, number[]> = { folded: [], oneByOne: [], collected: [] }
    for (let round = 1; round <= size(5, 1); round += 1) {
      progress(`round ${round}: three ways in turn`)
      for (const walk of WALKS) {
        await using child = await startChild('servers/walking.ts', { serviceUrl: service.ready, how: walk })
        // The result of `walking.ts`.
        const result = child.ready as { ms: number; peakBytes: number; counted: number }
        if (result.counted !== total)
          throw new Error(`${walk}: ${result.counted} of ${total} checks were counted.`)
        ms[walk].push(result.ms)
        peaks[walk].push(result.peakBytes / MEGABYTE)
      }
    }
    const row = (title: string, how: Walk) => [title, median(ms[how]), median(peaks[how])] as const
    return {
      tables: [
        {
          title: `Listing ${total.toLocaleString('en')} checks, 25 ms a page`,
          columns: ['ms', 'MB at most'],
          rows: [
            row('one page at a time, without validation', 'oneByOne'),
            row('twelve pages at a time, all rows kept, without validation', 'collected'),
            row('Signalman, page by page', 'folded'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Time of 100,000 checks ÷ reading twelve pages at a time without validation',
          bound: { atMost: 1.1 },
          reached: ratio(ms.folded, ms.collected),
        },
        {
          goal: 'Peak memory of 100,000 checks',
          bound: { atMost: 300 },
          reached: median(peaks.folded),
          unit: 'MB',
        },
      ],
    }
  },
}
