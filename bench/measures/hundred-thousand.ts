import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { median, ratio } from '../parts/numbers.ts'

const STRATEGIES = ['streaming', 'collecting'] as const
const REASON =
  'Every row is validated, and the other reader validates none. From run to run, the ratio is between 0.9 and 1.1.'
const MEGABYTE = 1024 * 1024

/** Measures reading every check of a large account from a service that takes 25 ms per page. */
export const hundredThousand: Benchmark = {
  name: 'hundred-thousand',
  question: 'What does it cost to list 100,000 checks if a page takes 25 ms?',
  async answer({ progress, size }) {
    const total = size(100_000, 2000)
    await using service = await startChild('servers/service.ts', { delayMs: 25, total })
    const ms = { streaming: [] as number[], collecting: [] as number[] }
    const peaks = { streaming: [] as number[], collecting: [] as number[] }
    for (let round = 1; round <= size(5, 1); round += 1) {
      progress(`round ${round}: two strategies in turn`)
      for (const strategy of STRATEGIES) {
        const settings = { serviceUrl: service.ready, strategy }
        await using child = await startChild('servers/read-all-checks.ts', settings)
        // The result of `read-all-checks.ts`.
        const result = child.ready as { ms: number; peakBytes: number; counted: number }
        if (result.counted !== total)
          throw new Error(`${strategy}: ${result.counted} of ${total} checks were counted.`)
        ms[strategy].push(result.ms)
        peaks[strategy].push(result.peakBytes / MEGABYTE)
      }
    }
    const row = (title: string, strategy: (typeof STRATEGIES)[number]) =>
      [title, median(ms[strategy]), median(peaks[strategy])] as const
    return {
      tables: [
        {
          title: `Listing ${total.toLocaleString('en')} checks, 25 ms a page`,
          columns: ['ms', 'MB at most'],
          rows: [
            row('twelve pages at a time, all rows kept, without validation', 'collecting'),
            row('Signalman, page by page', 'streaming'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Time of 100,000 checks ÷ reading twelve pages at a time without validation',
          bound: { atMost: 1 },
          reached: ratio(ms.streaming, ms.collecting),
          reason: REASON,
        },
        {
          goal: 'Peak memory of 100,000 checks',
          bound: { atMost: 180 },
          reached: median(peaks.streaming),
          unit: 'MB',
        },
      ],
    }
  },
}
