import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { startChild } from '../parts/child.ts'
import { comparing } from '../parts/compare.ts'
import { makeFolder } from '../parts/folder.ts'
import { measure } from '../parts/measure.ts'
import type { Question } from '../parts/question.ts'
import { startServer } from '../parts/server.ts'

/** What it costs to acknowledge a signed request that nothing follows from: a window that somebody has closed. */
export const acknowledging: Question = {
  name: 'acknowledging',
  asks: 'What does it cost to acknowledge a signed request, with every listener registered?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const folder = running.use(await makeFolder())
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const around = { load, service, databaseUrl: `sqlite:${folder.file('signalman.db')}` }
    const plan = { request: 'window closed', count: size(8000, 200), connections: 50 } as const

    progress('50 connections, three servers in turn')
    const samples = await measure(
      load,
      {
        raw: { server: running.use(await startServer('raw.ts')), plan },
        bolt: { server: running.use(await startServer('bolt.ts')), plan },
        ours: { server: running.use(await startSignalman(around)), plan },
      },
      { warmUps: size(2, 0), rounds: size(7, 1) },
    )
    const { ratio, median } = comparing(samples)
    const row = (title: string, name: keyof typeof samples) =>
      [
        title,
        ratio('cpuMicros', name, 'raw'),
        ratio('cpuMicros', name, 'bolt'),
        ratio('perSecond', name, 'bolt'),
        median('cpuMicros', name),
      ] as const
    return {
      tables: [
        {
          title: 'Acknowledging, 50 connections',
          columns: ['CPU ÷ raw', 'CPU ÷ Bolt', 'requests/s ÷ Bolt', 'CPU µs each'],
          rows: [
            row('raw node:http, body and HMAC (the limit)', 'raw'),
            row('Bolt, HTTPReceiver, two listeners', 'bolt'),
            row('Signalman, every listener', 'ours'),
          ],
        },
      ],
      goals: [
        {
          goal: 'CPU of an acknowledgement ÷ raw node:http',
          bound: { atMost: 1.6 },
          reached: ratio('cpuMicros', 'ours', 'raw'),
        },
      ],
    }
  },
}
