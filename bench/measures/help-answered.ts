import { startWithLoad } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { compareSamples, measure } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

const REASON = 'The help is built for each person and each time, and Bolt posts a constant.'

/** Compares the cost of `/hc help` with that of a Bolt app that posts the same message. */
export const helpAnswered: Benchmark = {
  name: 'help-answered',
  question: 'What does it cost to acknowledge /hc help and to answer it?',
  async answer({ progress, size }) {
    await using app = await startWithLoad()
    await using bolt = await startServer('bolt.ts', { answer: await app.answerTo('help') })
    progress('50 connections, two servers in turn')
    const plan = { typed: 'help', count: size(8000, 100), connections: 50 }
    const subjects = { bolt: { server: bolt, plan }, ours: { server: app.ours, plan } }
    const samples = await measure(app.load, subjects, { warmUps: size(1, 0), rounds: size(5, 1) })
    const { ratio, median } = compareSamples(samples)
    const row = (title: string, name: keyof typeof samples) =>
      [title, median('cpuMicros', name), median('perSecond', name), median('acknowledgedMs', name)] as const
    const goals = [
      ['CPU of /hc help ÷ bare Bolt', { atMost: 0.8 }, 'cpuMicros'],
      ['/hc help per second ÷ bare Bolt', { atLeast: 1.2 }, 'perSecond'],
      ['Median acknowledgement of /hc help ÷ bare Bolt', { atMost: 0.5 }, 'acknowledgedMs'],
    ] as const
    return {
      tables: [
        {
          title: '/hc help acknowledged and answered, 50 connections',
          columns: ['CPU µs each', 'commands/s', 'acknowledged ms'],
          rows: [row('Bolt app that posts the same message', 'bolt'), row('Signalman', 'ours')],
        },
      ],
      goals: goals.map(([goal, bound, value]) => ({
        ...{ goal, bound, reached: ratio(value, 'ours', 'bolt'), reason: REASON },
      })),
    }
  },
}
