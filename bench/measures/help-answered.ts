import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { compareSamples, type MeasuredValue } from '../parts/compare.ts'
import { makeFolder } from '../parts/folder.ts'
import { measure } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

const REASON =
  'The help is built for each person and each time, and Bolt posts a constant. The goal was met by a cache of the finished message, which was removed.'

/** Compares the cost of `/hc help` with that of a Bolt app that posts the same message. */
export const helpAnswered: Benchmark = {
  name: 'help-answered',
  question: 'What does it cost to acknowledge /hc help and to answer it?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const ours = running.use(
      await startSignalman({ load, service, databaseUrl: `sqlite:${folder.file('signalman.db')}` }),
    )
    const request = { typed: 'help' }
    const singleRequest = { url: ours.url, request, count: 1, connections: 1, untilAnswered: true }
    const answer: unknown = JSON.parse((await load.run(singleRequest)).latest)
    const bolt = running.use(await startServer('bolt.ts', { answer }))

    progress('50 connections, two servers in turn')
    const plan = { request, count: size(8000, 100), connections: 50, untilAnswered: true }
    const samples = await measure(
      load,
      { bolt: { server: bolt, plan }, ours: { server: ours, plan } },
      // Signalman has more code than Bolt alone, so it takes more requests until V8 has compiled it again.
      { warmUps: size(1, 0), rounds: size(5, 1), warmUpShare: 1 },
    )
    const { ratio, median } = compareSamples(samples)
    const ratioToBolt = (measured: MeasuredValue): number => ratio(measured, 'ours', 'bolt')
    const row = (title: string, name: keyof typeof samples) =>
      [title, median('cpuMicros', name), median('perSecond', name), median('acknowledgedMs', name)] as const
    return {
      tables: [
        {
          title: '/hc help acknowledged and answered, 50 connections',
          columns: ['CPU µs each', 'commands/s', 'acknowledged ms'],
          rows: [row('Bolt app that posts the same message', 'bolt'), row('Signalman', 'ours')],
        },
      ],
      goals: [
        { goal: 'CPU of /hc help ÷ bare Bolt', bound: { atMost: 0.75 }, reached: ratioToBolt('cpuMicros') },
        {
          goal: '/hc help per second ÷ bare Bolt',
          bound: { atLeast: 1.3 },
          reached: ratioToBolt('perSecond'),
        },
        {
          goal: 'Median acknowledgement of /hc help ÷ bare Bolt',
          bound: { atMost: 0.65 },
          reached: ratioToBolt('acknowledgedMs'),
        },
      ].map((goal) => ({ ...goal, reason: REASON })),
    }
  },
}
