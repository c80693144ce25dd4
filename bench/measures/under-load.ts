import { startWithLoad } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { compareSamples, measure } from '../parts/measure.ts'

const REASON =
  'A command that arrives while another one’s page of 500 is decoded, or garbage is collected, waits for it. The load and the service share the two cores.'

/** Measures acknowledgement times at 100 commands a second, each of which completes a listing. */
export const underLoad: Benchmark = {
  name: 'under-load',
  question: 'How fast is an acknowledgement at 100 complete commands per second?',
  async answer({ progress, size }) {
    await using app = await startWithLoad()
    progress('100 commands a second')
    const plan = { typed: 'list', count: size(300, 30), connections: 32, perSecond: 100 }
    const subjects = { ours: { server: app.ours, plan } }
    const { median } = compareSamples(
      await measure(app.load, subjects, { warmUps: size(2, 0), rounds: size(7, 1) }),
    )
    return {
      tables: [],
      goals: [
        {
          goal: 'Acknowledgement at 100 complete commands per second, 99th percentile',
          bound: { atMost: 4 },
          reached: median('acknowledgedP99Ms', 'ours'),
          unit: 'ms',
          reason: REASON,
        },
      ],
    }
  },
}
