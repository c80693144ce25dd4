import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { compareSamples, medianScavengeMs } from '../parts/compare.ts'
import { makeFolder } from '../parts/folder.ts'
import { measure } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

/** Measures acknowledgement times at 100 commands a second. Signalman also completes a listing for each command; Bolt doesn't. */
export const underLoad: Benchmark = {
  name: 'under-load',
  question: 'How fast is an acknowledgement at 100 complete commands per second?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const databaseUrl = `sqlite:${folder.file('signalman.db')}`
    const ours = running.use(await startSignalman({ load, service, databaseUrl }))
    const plan = { request: { typed: 'list' }, count: size(300, 30), connections: 32, perSecond: 100 }
    const answeredPlan = { ...plan, untilAnswered: true }

    progress('100 commands a second, two servers in turn')
    const samples = await measure(
      load,
      {
        bolt: { server: running.use(await startServer('bolt.ts')), plan },
        shipped: { server: ours, plan: answeredPlan },
      },
      { warmUps: size(2, 0), rounds: size(7, 1) },
    )
    const { median } = compareSamples(samples)
    const row = (title: string, name: keyof typeof samples) =>
      [
        title,
        median('acknowledgedMs', name),
        median('acknowledgedP99Ms', name),
        medianScavengeMs(samples[name]),
      ] as const
    return {
      tables: [
        {
          title: 'Acknowledgement at 100 commands per second, ms',
          columns: ['median', '99th percentile', 'scavenge'],
          rows: [
            row('Bolt, which only acknowledges', 'bolt'),
            row('Signalman, complete listings', 'shipped'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Acknowledgement at 100 complete commands per second, 99th percentile',
          bound: { atMost: 4 },
          reached: median('acknowledgedP99Ms', 'shipped'),
          unit: 'ms',
        },
      ],
    }
  },
}
