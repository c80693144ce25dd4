import { startSandbox } from '@signalman/sandbox/src/index.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { median, ratio } from '../parts/numbers.ts'
import { addChecks } from '../parts/user-actions.ts'
import type { EditStrategy } from '../servers/bulk-edit.ts'

const STRATEGIES = ['holding', 'unheld', 'calls'] as const satisfies readonly EditStrategy[]

/** Measures what it costs a bulk change to hold each health check that it writes to. */
export const bulkEdit: Benchmark = {
  name: 'bulk-edit',
  question: 'What does a bulk change of 400 health checks cost, and what do its holds cost?',
  async answer({ progress, size }) {
    const count = size(400, 20)
    await using running = new AsyncDisposableStack()
    const sandbox = running.use(await startSandbox({ seed: false, checking: false }))
    await addChecks(sandbox.productionUrl, count)
    const folder = running.use(await makeFolder())
    const child = running.use(
      await startChild('servers/bulk-edit.ts', {
        serviceUrl: sandbox.productionUrl,
        token: sandbox.token,
        databaseUrl: `sqlite:${folder.file('signalman.db')}`,
      }),
    )
    const series: Record<EditStrategy, number[]> = { holding: [], unheld: [], calls: [] }
    let frequency = 100
    for (let round = -size(2, 0); round < size(9, 1); round += 1) {
      progress(`round ${round}: three ways in turn`)
      for (const strategy of STRATEGIES) {
        frequency += 1
        // `servers/bulk-edit.ts` returns milliseconds.
        const ms = (await child.call('edit', { strategy, frequency })) as number
        if (round >= 0) series[strategy].push(ms)
      }
    }
    const row = (title: string, strategy: EditStrategy) =>
      [title, median(series[strategy]), ratio(series[strategy], series.calls)] as const
    return {
      tables: [
        {
          title: `Editing ${count} health checks, if the service answers at once`,
          columns: ['ms', '÷ the requests alone'],
          rows: [
            row('the requests alone, five at a time', 'calls'),
            row('a job without holds', 'unheld'),
            row('Signalman: a job that holds each health check', 'holding'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Time of a bulk change of 400 health checks ÷ the same job without holds',
          bound: { atMost: 1.3 },
          reached: ratio(series.holding, series.unheld),
        },
      ],
    }
  },
}
