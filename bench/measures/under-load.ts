import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { startChild } from '../parts/child.ts'
import { comparing, medianScavengeMs } from '../parts/compare.ts'
import { makeFolder } from '../parts/folder.ts'
import { measure } from '../parts/measure.ts'
import type { Question } from '../parts/question.ts'
import { startServer } from '../parts/server.ts'

/** 100 commands a second: a whole listing each for the app, and only an acknowledgement for Bolt. */
export const underLoad: Question = {
  name: 'under-load',
  asks: 'How fast is an acknowledgement while 100 whole commands a second run?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const start = async (name: string, settings?: object) => {
      const around = { load, service, databaseUrl: `sqlite:${folder.file(`${name}.db`)}` }
      return running.use(await startSignalman(around, settings))
    }
    const plan = { request: { typed: 'list' }, count: size(300, 30), connections: 32, perSecond: 100 }
    const whole = { ...plan, whole: true }

    progress('100 commands a second, three servers in turn')
    const samples = await measure(
      load,
      {
        bolt: { server: running.use(await startServer('bolt.ts')), plan },
        shipped: { server: await start('shipped'), plan: whole },
        scanning: { server: await start('scanning', { pageSize: 500 }), plan: whole },
      },
      { warmUps: size(2, 0), rounds: size(7, 1) },
    )
    const { median } = comparing(samples)
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
          title: 'Acknowledging while 100 commands a second come in, ms',
          columns: ['median', '99 in 100', 'scavenge'],
          rows: [
            row('Bolt, which only acknowledges', 'bolt'),
            row('Signalman, whole listings, page of 15', 'shipped'),
            row('Signalman, whole listings, page of 500', 'scanning'),
          ],
        },
      ],
      goals: [
        {
          goal: 'Acknowledgement while 100 whole commands a second run, 99 in 100',
          bound: { atMost: 100 },
          reached: median('acknowledgedP99Ms', 'shipped'),
          unit: 'ms',
        },
      ],
    }
  },
}
