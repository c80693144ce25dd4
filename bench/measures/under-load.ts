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
    const start = async (name: string, settings?: object) => {
      const dependencies = { load, service, databaseUrl: `sqlite:${folder.file(`${name}.db`)}` }
      return running.use(await startSignalman(dependencies, settings))
    }
    const plan = { request: { typed: 'list' }, count: size(300, 30), connections: 32, perSecond: 100 }
    const answeredPlan = { ...plan, untilAnswered: true }

    progress('100 commands a second, three servers in turn')
    const samples = await measure(
      load,
      {
        bolt: { server: running.use(await startServer('bolt.ts')), plan },
        shipped: { server: await start('shipped'), plan: answeredPlan },
        scanning: { server: await start('scanning', { pageSize: 500 }), plan: answeredPlan },
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
            row('Signalman, complete listings, page of 15', 'shipped'),
            row('Signalman, complete listings, page of 500', 'scanning'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Acknowledgement at 100 complete commands per second, 99th percentile',
          bound: { atMost: 100 },
          reached: median('acknowledgedP99Ms', 'shipped'),
          unit: 'ms',
        },
      ],
    }
  },
}
